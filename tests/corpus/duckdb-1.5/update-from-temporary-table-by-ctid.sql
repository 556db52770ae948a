-- statement
UPDATE "public"."ducklake_metadata" SET "value" = "update_data_a1466a79-bb03-4a9d-a449-acef3cd60453"."value" FROM "update_data_a1466a79-bb03-4a9d-a449-acef3cd60453" WHERE "ducklake_metadata".ctid=__page_id_string::TID
-- statement
UPDATE "public"."ducklake_data_file" SET "mapping_id" = "update_data_07a2ac55-e1ce-40d7-9843-f945d99fa06a"."mapping_id" FROM "update_data_07a2ac55-e1ce-40d7-9843-f945d99fa06a" WHERE "ducklake_data_file".ctid=__page_id_string::TID
