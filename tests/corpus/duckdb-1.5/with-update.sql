-- statement
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (1, 2, true, NULL, 'i', 'j', NULL),(1, 3, true, NULL, '1', '3', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=CAST(new_contains_null AS BOOLEAN), contains_nan=CAST(new_contains_nan AS BOOLEAN), min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid
-- statement
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (5, 1, true, NULL, '1', '2', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=CAST(new_contains_null AS BOOLEAN), contains_nan=CAST(new_contains_nan AS BOOLEAN), min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid
-- statement
WITH dropped_cols(tid, cid) AS (
VALUES (1, 2)
)
UPDATE "public".ducklake_column
SET end_snapshot = 8
FROM dropped_cols
WHERE table_id=tid AND column_id=cid AND end_snapshot IS NULL
-- statement
WITH deleted_row_list(deleted_row_id) AS (
VALUES (0)
)
UPDATE "public".ducklake_inlined_data_1_1
SET end_snapshot = 3
FROM deleted_row_list
WHERE row_id=deleted_row_id AND end_snapshot IS NULL AND begin_snapshot != 3
-- statement
WITH deleted_row_list(deleted_row_id) AS (
VALUES (1), (2)
)
UPDATE "public".ducklake_inlined_data_1_1
SET end_snapshot = 2
FROM deleted_row_list
WHERE row_id=deleted_row_id AND end_snapshot IS NULL AND begin_snapshot != 2
-- statement
WITH overwritten_tags(tid, key) AS (
VALUES (1, 'comment')
)
UPDATE "public".ducklake_tag
SET end_snapshot = 2
FROM overwritten_tags
WHERE object_id=tid AND ducklake_tag.key=overwritten_tags.key AND end_snapshot IS NULL
-- statement
WITH dropped_cols(tid, cid) AS (
VALUES (1, 7), (1, 8)
)
UPDATE "public".ducklake_column
SET end_snapshot = 4
FROM dropped_cols
WHERE table_id=tid AND column_id=cid AND end_snapshot IS NULL
-- statement
WITH overwritten_tags(tid, cid, key) AS (
VALUES (1, 1, 'comment')
)
UPDATE "public".ducklake_column_tag
SET end_snapshot = 3
FROM overwritten_tags
WHERE table_id=tid AND column_id=cid AND ducklake_column_tag.key=overwritten_tags.key AND end_snapshot IS NULL
