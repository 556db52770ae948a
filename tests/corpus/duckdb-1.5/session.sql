-- statement
SELECT 1
-- statement
DISCARD ALL
-- statement
SELECT version(), (SELECT COUNT(*) FROM pg_settings WHERE name LIKE 'rds%')
-- statement
SELECT to_regclass('duckdb_secrets')
