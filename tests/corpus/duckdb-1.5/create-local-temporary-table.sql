-- statement
CREATE LOCAL TEMPORARY TABLE "update_data_a1466a79-bb03-4a9d-a449-acef3cd60453"("value" VARCHAR, __page_id_string VARCHAR) ON COMMIT DROP
