-- statement
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (1, 2, NULL, NULL, 'i', 'j', NULL),(1, 3, NULL, NULL, '1', '6', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=new_contains_null::boolean, contains_nan=new_contains_nan::boolean, min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid
-- statement
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (1, 1, true, NULL, '1', '3', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=new_contains_null::boolean, contains_nan=new_contains_nan::boolean, min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid
-- statement
WITH overwritten_tags(tid, key) AS (
VALUES (1, 'comment')
)
UPDATE "public".ducklake_tag
SET end_snapshot = 2
FROM overwritten_tags
WHERE object_id=tid
-- statement
WITH deleted_row_list(deleted_row_id) AS (
VALUES (0)
)
UPDATE "public".ducklake_inlined_data_1_2
SET end_snapshot = 2
FROM deleted_row_list
WHERE row_id=deleted_row_id
-- statement
WITH deleted_row_list(deleted_row_id) AS (
VALUES (24), (25)
)
UPDATE "public".ducklake_inlined_data_1_1
SET end_snapshot = 7
FROM deleted_row_list
WHERE row_id=deleted_row_id
-- statement
WITH overwritten_tags(tid, cid, key) AS (
VALUES (1, 1, 'comment')
)
UPDATE "public".ducklake_column_tag
SET end_snapshot = 2
FROM overwritten_tags
WHERE table_id=tid AND column_id=cid
