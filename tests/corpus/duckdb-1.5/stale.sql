-- statement
SELECT pg_class.oid, relname, pg_class.xmin
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND pg_namespace.nspname = 'public'
ORDER BY pg_class.oid
