CREATE TABLE w (id BIGINT PRIMARY KEY, name VARCHAR, flag BOOLEAN, amount NUMERIC(10,2), at TIMESTAMPTZ, note TEXT NOT NULL, small SMALLINT, ratio DOUBLE PRECISION, short VARCHAR(3), raw BYTEA, uid UUID, day DATE)
CREATE TABLE IF NOT EXISTS w (id BIGINT)
CREATE TABLE w (id BIGINT)
INSERT INTO w VALUES (1, 'a', true, 1.5, '2024-01-01 00:00:00+00', 'n', 1, 0.5, 'abc', '\x01', '01a22a8f-7421-711b-b6f5-516e8673243a', '2024-01-01')
INSERT INTO w VALUES (2, NULL, NULL, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, NULL), (3, 'c', false, 10, NULL, 'x', -5, 3, 'a', '\x', NULL, NULL)
INSERT INTO w (note, id) VALUES ('only two', 4)
INSERT INTO w (note, id, name) VALUES ('dflt', 5, DEFAULT), (DEFAULT, 6, 'z')
INSERT INTO w (note, id, name) VALUES ('dflt', 5, DEFAULT)
INSERT INTO w VALUES (1, 'dup', NULL, NULL, NULL, 'n')
INSERT INTO w VALUES (7, 'x', NULL, NULL, NULL, NULL)
INSERT INTO w (id, note) VALUES (7)
INSERT INTO w (id, note) VALUES (7, 'x', 'y')
INSERT INTO w (id, nosuch) VALUES (7, 'x')
INSERT INTO w (id, id) VALUES (7, 7)
INSERT INTO nosuch VALUES (1)
INSERT INTO w (id, note) VALUES ('8', 8)
INSERT INTO w (id, note) VALUES (9.4, 'rounded'), (9.5, 'rounded')
INSERT INTO w (id, note, flag) VALUES (20, 'x', 1)
INSERT INTO w (id, note, flag) VALUES (20, 'x', 'maybe')
INSERT INTO w (id, note, flag) VALUES (20, 'x', 'yes')
INSERT INTO w (id, note, small) VALUES (21, 'x', 40000)
INSERT INTO w (id, note, small) VALUES (99999999999999999999, 'x', 4)
INSERT INTO w (id, note, short) VALUES (21, 'x', 'abcd')
INSERT INTO w (id, note, short) VALUES (21, 'x', 'abc   ')
INSERT INTO w (id, note, short) VALUES (22, 'x', CAST('abcdef' AS VARCHAR(3)))
INSERT INTO w (id, note, amount) VALUES (23, 'x', 123456789.12)
INSERT INTO w (id, note, amount) VALUES (23, 'x', 1.005), (24, 'x', '7.777'), (25, 'x', 3e2)
INSERT INTO w (id, note, at) VALUES (26, 'x', CAST('2024-05-06 07:08:09' AS TIMESTAMP)), (27, 'x', '2024-05-06'::date)
INSERT INTO w (id, note, day) VALUES (28, 'x', '2024-05-06 10:00'::timestamp), (29, 'y', CAST('2020-01-01' AS DATE))
INSERT INTO w (id, note, raw) VALUES (30, 'x', '\x68656c6c6f'), (31, 'x', 'plain'::BYTEA), (32, 'x', '\x00FF'::BYTEA)
INSERT INTO w (id, note, uid) VALUES (33, 'x', CAST('11111111-1111-1111-1111-111111111111' AS UUID))
INSERT INTO w (id, note, ratio) VALUES (34, 'x', CAST('nan' AS DOUBLE PRECISION)), (35, 'x', -122.4194), (36, 'x', - 1)
INSERT INTO w (id, note) VALUES (37, 1.50), (38, -7), (39, 1e3)
INSERT INTO w (id, note) VALUES (40, true)
INSERT INTO w (id, note) VALUES (true, 'x')
INSERT INTO w (id, note) VALUES ('x', 'x')
INSERT INTO w (id, note) VALUES (41, 'it''s'), (42, 'semi;colon'), (43, 'new
line')
INSERT INTO w (id, note) VALUES (1 + 99, upper('abc') || 'd')
INSERT INTO w (id, note) SELECT id + 200, note FROM w WHERE id < 3
INSERT INTO w (id, note, name) SELECT 300, 'lit', NULL
INSERT INTO w (id, note) SELECT 301, 'a' UNION ALL SELECT 302, 'b'
INSERT INTO w (id, note) SELECT note, 'a' FROM w
INSERT INTO w (note, id) WITH q AS (SELECT 303 AS n) SELECT 'cte', n FROM q
INSERT INTO w SELECT 304, 'short', true, 1, NULL, 'fewer'
UPDATE w SET name = 'new' WHERE id = 1
UPDATE w SET name = NULL, flag = NOT flag, amount = amount + 1 WHERE id IN (1, 3)
UPDATE w SET amount = 12345678901 WHERE id = 1
UPDATE w SET note = NULL WHERE id = 1
UPDATE w SET small = id WHERE id < 10
UPDATE w SET small = 'x' WHERE id < 10
UPDATE w SET nosuch = 1
UPDATE w SET name = 'a', name = 'b'
UPDATE w SET id = 1 WHERE id = 2
UPDATE w SET name = 'none' WHERE id = -1
UPDATE w SET name = DEFAULT, short = 'zz' WHERE id = 3
UPDATE w SET (name, flag) = ('t', true) WHERE id = 3
UPDATE w AS x SET name = x.note || '!' WHERE x.id = 4
UPDATE w SET ratio = (SELECT max(id) FROM w) WHERE id = 4
UPDATE w SET note = (SELECT y.note FROM w y WHERE y.id = w.id + 1) WHERE id = 3
WITH new_values(wid, new_name, new_flag) AS (VALUES (1, 'n1', true), (3, 'n3', false), (99, 'none', NULL)) UPDATE w SET name = new_name, flag = CAST(new_flag AS BOOLEAN) FROM new_values WHERE id = wid
WITH new_values(wid, new_flag, new_note) AS (VALUES (1, NULL, 'q'), (3, NULL, 'r')) UPDATE public.w SET flag = CAST(new_flag AS BOOLEAN), note = new_note FROM new_values WHERE id = wid
WITH new_values(wid, new_flag) AS (VALUES (1, NULL), (3, NULL)) UPDATE w SET flag = new_flag::boolean FROM new_values WHERE id = wid
WITH new_values(wid, new_flag) AS (VALUES (1, NULL), (3, NULL)) UPDATE w SET flag = new_flag FROM new_values WHERE id = wid
WITH gone(gid) AS (VALUES (8), (9), (10)) UPDATE w SET ratio = 9 FROM gone WHERE id = gid AND ratio IS NULL AND small != 3
WITH tags(tid, note) AS (VALUES (20, 'x')) UPDATE w SET name = 'tagged' FROM tags WHERE id = tid AND w.note = tags.note AND at IS NULL
WITH x(i) AS (VALUES (1), (1), (3)) UPDATE w SET small = 77 FROM x WHERE id = i
WITH x(i) AS (VALUES ('a')) UPDATE w SET small = 77 FROM x WHERE id = i
UPDATE w SET name = y.note FROM w y WHERE y.id = w.id - 1 AND w.id < 5
UPDATE w SET name = t2.b FROM t t2 WHERE t2.a = w.id AND t2.b IS NOT NULL
UPDATE w SET short = 'all'
CREATE TEMPORARY TABLE up (v VARCHAR, pid VARCHAR) ON COMMIT DROP
DELETE FROM w WHERE id = 1
DELETE FROM w WHERE id IN (2, 3, 99)
DELETE FROM w WHERE id >= 100 AND note LIKE 'A%'
DELETE FROM w WHERE ctid IN ('(9999,9)')
DELETE FROM w WHERE id IN (SELECT id FROM w WHERE id > 300)
DELETE FROM w x WHERE x.note = 'rounded'
DELETE FROM w WHERE nosuch = 1
DELETE FROM nosuch
INSERT INTO w (id, note) VALUES (600, 'a'), (601, 'b') ON CONFLICT (id) DO NOTHING
INSERT INTO w (id, note) VALUES (601, 'c'), (602, 'd') ON CONFLICT DO NOTHING
INSERT INTO w (id, note) VALUES (602, 'e'), (603, 'f'), (603, 'g') ON CONFLICT ON CONSTRAINT w_pkey DO NOTHING
INSERT INTO w (id, note, name) VALUES (603, 'h', 'x'), (604, 'i', 'y') ON CONFLICT (id) DO UPDATE SET note = EXCLUDED.note, name = excluded.name
INSERT INTO w AS z (id, note) VALUES (604, 'j'), (605, 'k') ON CONFLICT (id) DO UPDATE SET note = z.note || EXCLUDED.note, small = 5 WHERE z.id > 600
INSERT INTO w (id, note) VALUES (604, 'l'), (605, 'm') ON CONFLICT (id) DO UPDATE SET (note, small) = (excluded.note, DEFAULT) WHERE excluded.note = 'm'
INSERT INTO w (id, note) SELECT id, 'from select' FROM w WHERE id > 602 ON CONFLICT (id) DO UPDATE SET ratio = 0.5
INSERT INTO w (id, note) VALUES (604, 'n'), (604, 'o') ON CONFLICT (id) DO UPDATE SET note = excluded.note
INSERT INTO w (id, note) VALUES (606, 'n'), (606, 'o') ON CONFLICT (id) DO UPDATE SET note = excluded.note
INSERT INTO w (id, note) VALUES (604, 'n'), (604, 'o') ON CONFLICT (id) DO UPDATE SET note = excluded.note WHERE w.small = 12345
INSERT INTO w (id, note) VALUES (604, 'p') ON CONFLICT (id) DO UPDATE SET id = 607
INSERT INTO w (id, note) VALUES (605, 'p') ON CONFLICT (id) DO UPDATE SET id = 607
INSERT INTO w (id, note) VALUES (604, NULL) ON CONFLICT (id) DO NOTHING
INSERT INTO w (id, note) VALUES (607, NULL) ON CONFLICT (id) DO UPDATE SET note = 'x'
INSERT INTO w (id, note) VALUES (NULL, 'x') ON CONFLICT (id) DO NOTHING
INSERT INTO w (id, note) VALUES (607, 'x') ON CONFLICT (note) DO NOTHING
INSERT INTO w (id, note) VALUES (607, 'x') ON CONFLICT (id, note) DO NOTHING
INSERT INTO w (id, note) VALUES (607, 'x') ON CONFLICT (nosuch) DO NOTHING
INSERT INTO w (id, note) VALUES (607, 'x') ON CONFLICT ON CONSTRAINT nosuch DO NOTHING
INSERT INTO w (id, note) VALUES (607, 'x') ON CONFLICT DO UPDATE SET note = 'x'
INSERT INTO w (id, note) VALUES (607, 'x') ON CONFLICT (id) DO UPDATE SET nosuch = 'x'
INSERT INTO w (id, note) VALUES (607, 'x') ON CONFLICT (id) DO UPDATE SET note = note || 'x'
INSERT INTO w (id, note) VALUES (607, 'x') ON CONFLICT (id) DO UPDATE SET note = excluded.nosuch
INSERT INTO w (id, raw, note) VALUES (607, E'\\x0001', 'x') ON CONFLICT (id) DO UPDATE SET raw = EXCLUDED.raw
INSERT INTO u (id, a) VALUES (90, 1), (90, 1) ON CONFLICT DO NOTHING
INSERT INTO u (id, a) VALUES (90, 1) ON CONFLICT (id) DO NOTHING
SELECT id, note, name, small, ratio, raw FROM w WHERE id >= 600 ORDER BY id
SELECT count(*) FROM u WHERE id = 90
DELETE FROM u WHERE id = 90
INSERT INTO w (id, note) VALUES (700, 'r') RETURNING *
INSERT INTO w (id, note, small) VALUES (701, 'r', 1), (702, 's', 2) RETURNING id, note AS "The Note", small + 1 b, upper(note), 'text', NULL, 7
INSERT INTO w AS x (id, note) VALUES (703, 'r') RETURNING x.id, x.*, id = 703 AS same
INSERT INTO w AS x (id, note) VALUES (704, 'r') RETURNING w.id
INSERT INTO w (id, note, short, amount) VALUES (704, 'r', 'ab ', 1.005) RETURNING short, amount, day, at, raw, uid, flag
INSERT INTO w (id, note) SELECT id + 100, note || '!' FROM w WHERE id BETWEEN 700 AND 703 RETURNING id, note
INSERT INTO w (id, note) VALUES (700, 'r') RETURNING id
INSERT INTO w (id, note) VALUES (709, NULL) RETURNING id
INSERT INTO w (id, note) VALUES (710, 'r') RETURNING nosuch
INSERT INTO w (id, note) VALUES (710, 'r') RETURNING max(id)
INSERT INTO w (id, note) VALUES (710, 'r') RETURNING id, sum(id) OVER ()
INSERT INTO w (id, note) VALUES (710, 'r') RETURNING row_number() OVER () AS n
INSERT INTO w (id, note) VALUES (710, 'r') RETURNING generate_series(1, 2)
INSERT INTO w (id, note) VALUES (710, 'r') RETURNING
INSERT INTO w (id, note) VALUES (710, 'r') RETURNING nosuch.*
INSERT INTO w (id, note) VALUES (710, 'r') RETURNING id, (SELECT count(*) FROM w AS o WHERE o.id = w.id) AS seen, (SELECT count(*) FROM w AS o WHERE o.id = 700)
INSERT INTO w (id, note) VALUES (711, 'r') RETURNING id IN (SELECT id FROM w), EXISTS (SELECT 1 FROM w AS o WHERE o.note = w.note)
INSERT INTO w (id, note) VALUES (712, 'it''s (') RETURNING lower(note)
INSERT INTO w (id, note) VALUES (713, 'returning'), (714, 'returning)') Returning (id)
INSERT INTO w (id, note) VALUES (715, 'b') RETURNING CASE WHEN id > 1 THEN note END, coalesce(name, '-'), id::text, note::varchar(1)
INSERT INTO w (id, note) VALUES (716, 'b') RETURNING 'w'::regclass, ctid IS NULL
INSERT INTO w (id, note, name) VALUES (700, 'taken', 'n'), (720, 'fresh', 'f'), (701, 'taken', 'm') ON CONFLICT (id) DO UPDATE SET note = excluded.note, name = w.note RETURNING id, note, name
INSERT INTO w (id, note) VALUES (700, 'z'), (721, 'z') ON CONFLICT DO NOTHING RETURNING *
INSERT INTO w (id, note) VALUES (700, 'z') ON CONFLICT DO NOTHING RETURNING id
INSERT INTO w (id, note) VALUES (700, 'z') ON CONFLICT (id) DO UPDATE SET note = 'y' WHERE w.id < 0 RETURNING id
INSERT INTO w (id, note) VALUES (700, 'z') ON CONFLICT (id) DO UPDATE SET note = 'y' RETURNING excluded.id
WITH v AS (SELECT 730 AS i) INSERT INTO w (id, note) SELECT i, 'cte' FROM v RETURNING id, (SELECT i FROM v)
UPDATE w SET note = 'up', small = id - 600 WHERE id IN (700, 701) RETURNING *
UPDATE w AS y SET note = note || '+' WHERE y.id = 702 RETURNING y.note, id, id * 2 AS twice
UPDATE w SET id = id + 1000 WHERE id = 703 RETURNING id, note
UPDATE w SET note = 'none' WHERE id = 703 RETURNING id
UPDATE w SET note = NULL WHERE id = 700 RETURNING id
UPDATE w SET note = 'x' WHERE id = 700 RETURNING nosuch
UPDATE w SET note = 'x' WHERE id = 700 RETURNING count(*)
UPDATE w SET note = v.n FROM (VALUES (700, 'from'), (701, 'also')) AS v(i, n) WHERE w.id = v.i RETURNING *
UPDATE w SET note = v.n FROM (VALUES (700, 'from'), (701, 'also')) AS v(i, n) WHERE w.id = v.i RETURNING v.*, w.id, v.i + w.id AS both
UPDATE w SET note = 'x' FROM (VALUES (-1)) AS v(i) WHERE w.id = v.i RETURNING w.id, v.i
WITH nv(i, n) AS (VALUES (700, 'cte'), (701, 'cte2')) UPDATE w SET note = n FROM nv WHERE id = i RETURNING id, n, note
DELETE FROM w WHERE id = 700 RETURNING *
DELETE FROM w AS d WHERE d.id IN (701, 702) RETURNING d.id, note AS was
DELETE FROM w WHERE id = 700 RETURNING id
DELETE FROM w WHERE id = 704 RETURNING (SELECT count(*) FROM w WHERE id = 704)
DELETE FROM w WHERE id >= 704 RETURNING id, note
INSERT INTO w (id, note) SELECT n, 'g' || n FROM generate_series(800, 803) n RETURNING id, note
INSERT INTO w (id, note) SELECT generate_series(810, 812), 'g' RETURNING id
INSERT INTO w (id, note) SELECT n, 'g' FROM generate_series(1, 2, 0) n
UPDATE w SET note = n::text FROM generate_series(801, 802) n WHERE id = n RETURNING id, note
DELETE FROM w WHERE id IN (SELECT n FROM generate_series(800, 820) n)
ALTER TABLE w ADD COLUMN extra BIGINT DEFAULT 7
ALTER TABLE w ADD COLUMN extra BIGINT
ALTER TABLE w ADD COLUMN IF NOT EXISTS extra BIGINT
SELECT extra, count(*) FROM w GROUP BY extra
INSERT INTO w (id, note) VALUES (500, 'later')
ALTER TABLE w RENAME COLUMN extra TO more
ALTER TABLE w RENAME COLUMN nosuch TO more2
SELECT more FROM w WHERE id = 500
ALTER TABLE w DROP COLUMN more
ALTER TABLE w DROP COLUMN more
ALTER TABLE w DROP COLUMN IF EXISTS more
SELECT more FROM w
ALTER TABLE w RENAME TO w2
SELECT count(*) FROM w
SELECT count(*) FROM w2
ALTER TABLE w2 RENAME TO w
DELETE FROM w
DROP TABLE w
DROP TABLE w
DROP TABLE IF EXISTS w
CREATE SCHEMA other
CREATE SCHEMA other
CREATE SCHEMA IF NOT EXISTS other
CREATE TABLE other.x (a BIGINT)
INSERT INTO other.x VALUES (1)
SELECT * FROM other.x
SELECT * FROM x
CREATE TABLE nosuch.x (a BIGINT)
DROP SCHEMA other
DROP SCHEMA other CASCADE
DROP SCHEMA other
DROP SCHEMA IF EXISTS other
CREATE TABLE bad (a BIGINT, a BIGINT)
