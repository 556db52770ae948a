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
