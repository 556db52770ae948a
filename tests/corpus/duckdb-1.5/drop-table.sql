-- statement
DROP Table  IF EXISTS "public"."ducklake_inlined_data_1_1"
-- statement
DROP Table  IF EXISTS "public"."ducklake_inlined_delete_1"
