-- Files that ducklake_cleanup_old_files will remove, those that have waited longest first.
SELECT q.data_file_id, q.path, q.path_is_relative, q.schedule_start, now() - q.schedule_start AS waits_for
FROM ducklake_files_scheduled_for_deletion q
ORDER BY q.schedule_start, q.data_file_id;
