SELECT a, row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT a, rank() OVER (PARTITION BY c ORDER BY i), dense_rank() OVER (ORDER BY c) FROM t ORDER BY a
SELECT a, sum(a) OVER (PARTITION BY c ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t WHERE a < 100 ORDER BY a
SELECT a, avg(a) OVER (ORDER BY a) FROM t WHERE a < 100 ORDER BY a
SELECT a, lag(a) OVER w, lead(a, 2, 0::bigint) OVER w, first_value(b) OVER w, last_value(b) OVER w, nth_value(b, 2) OVER w FROM t WINDOW w AS (ORDER BY a) ORDER BY a
SELECT a, ntile(3) OVER (ORDER BY a), percent_rank() OVER (ORDER BY a), cume_dist() OVER (ORDER BY a) FROM t ORDER BY a
SELECT count(*) OVER (), max(b) OVER (PARTITION BY c) FROM t ORDER BY a
SELECT c, sum(e) OVER (PARTITION BY c ORDER BY a) FROM t ORDER BY a
SELECT x FROM (SELECT a, row_number() OVER (ORDER BY a) AS x FROM t) q WHERE x <= 2 ORDER BY x
SELECT t.relname, a.attname, row_number() OVER (PARTITION BY t.oid ORDER BY a.attnum) FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid WHERE t.relname IN ('u', 's') AND a.attnum > 0 ORDER BY 1, 2
SELECT a, count(*) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM u ORDER BY id
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM u ORDER BY id
SELECT max(e) OVER (ORDER BY a), min(e) OVER (ORDER BY a) FROM t ORDER BY a
