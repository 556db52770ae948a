-- The history: what each snapshot changed, who made it, and how many data files it brought and took.
SELECT s.snapshot_id, s.snapshot_time, s.schema_version, c.changes_made, c.author, c.commit_message,
  coalesce(brought.files, 0) AS files_brought, coalesce(taken.files, 0) AS files_taken
FROM ducklake_snapshot s
LEFT JOIN ducklake_snapshot_changes c ON c.snapshot_id = s.snapshot_id
LEFT JOIN (SELECT begin_snapshot, count(*) AS files FROM ducklake_data_file GROUP BY begin_snapshot) brought
  ON brought.begin_snapshot = s.snapshot_id
LEFT JOIN (SELECT end_snapshot, count(*) AS files FROM ducklake_data_file GROUP BY end_snapshot) taken
  ON taken.end_snapshot = s.snapshot_id
ORDER BY s.snapshot_id DESC;
