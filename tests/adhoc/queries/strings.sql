SELECT lpad(b, 6), lpad(b, 6, 'xy'), lpad(b, 2), rpad(b, 6), rpad(b, 6, 'xy'), rpad(b, 2), lpad('a', 0), lpad('abc', -1) FROM t ORDER BY a
SELECT repeat(b, 3), repeat('x', 0), repeat('ab', -1), reverse(b), initcap('hello wORLD'), initcap(l) FROM t ORDER BY a
SELECT translate('12345', '143', 'ax'), translate(b, 'one', 'ONE'), overlay('Txxxxas' PLACING 'hom' FROM 2 FOR 4), overlay('abcdef' PLACING 'X' FROM 3) FROM t ORDER BY a
SELECT ascii('x'), ascii(''), ascii('é'), chr(65), chr(233), to_hex(255), to_hex(-1), to_hex(2147483648), bit_length('é'), octet_length('é'), char_length('é')
SELECT position('b' IN 'abc'), position('' IN 'abc'), position('z' IN b), strpos(b, 'o') FROM t ORDER BY a
SELECT substring('abcdef' FROM 2), substring('abcdef' FROM 2 FOR 3), substring('abcdef' FOR 2), substring('foobar' FROM 'o.b'), substring('foobar' FROM 'o(.)b'), substring(b FROM '[a-z]+'), substr(b, 2, 2), substr(b, 0, 2) FROM t ORDER BY a
SELECT left(b, 2), right(b, 2), left(b, -1), right(b, -1), length(b), upper(b), lower(b) FROM t ORDER BY a
SELECT trim('  a '), trim(LEADING 'x' FROM 'xxa'), trim(TRAILING FROM 'a  '), btrim('xyaxy', 'xy'), ltrim('xxa', 'x'), rtrim('axx', 'x'), trim(BOTH 'ab' FROM 'abcab')
SELECT concat(a, '-', b, NULL, c), concat_ws('/', a, b, NULL, e), b || '!' || a, 'n: ' || e FROM t ORDER BY a
SELECT replace(path, 'part', 'p'), split_part(path, '/', 2), split_part(path, '-', -1), starts_with(path, 'data') FROM ducklake_data_file WHERE data_file_id < 3 ORDER BY data_file_id
SELECT md5(b), encode(sha256(convert_to(b, 'UTF8')), 'hex'), encode(m, 'hex'), encode(m, 'base64'), decode('00ff', 'hex'), decode('AQID', 'base64') FROM t ORDER BY a
SELECT quote_ident('a b'), quote_ident(b), quote_literal(l), quote_nullable(b), quote_nullable(NULL) FROM t ORDER BY a
SELECT format('%s is %s', b, a), format('%I.%I', 'a b', 'c'), format('%L', l), format('%2$s %1$s', 'a', 'b'), format('[%10s][%-5s]', 'x', 'y'), format('100%%') FROM t ORDER BY a
SELECT string_to_array('a,b,,c', ','), string_to_array('abc', NULL), string_to_array('a,b', ',', 'b'), string_to_array('', ','), array_to_string(string_to_array(path, '/'), '>') FROM ducklake_data_file WHERE data_file_id = 1
SELECT regexp_replace('foobarbaz', 'b..', 'X'), regexp_replace('foobarbaz', 'b..', 'X', 'g'), regexp_replace('abc', '(.)(.)', '\2\1'), regexp_replace('Hello', 'l', '[\&]', 'g'), regexp_replace('ABC', 'b', 'x', 'i')
SELECT regexp_match('foobarbequebaz', 'bar.*que'), regexp_match('foobar', '(o+)(b)'), regexp_match('abc', 'x'), regexp_split_to_array('a1b22c', '[0-9]+'), regexp_count('abab', 'a'), regexp_like('ABC', 'b', 'i')
SELECT regexp_replace(path, '[^0-9]', '', 'g')::int AS n FROM ducklake_data_file WHERE data_file_id < 5 ORDER BY n
SELECT b LIKE 'o%', b LIKE '%o%', b LIKE '_ne', b LIKE '', b NOT LIKE 't%', b ILIKE 'T%', row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT l LIKE 'A\_b\%c', l LIKE 'A!_b!%c' ESCAPE '!', l LIKE '%''%', 'a\b' LIKE 'a\\b', '50%' LIKE '50\%', row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT b LIKE ANY (ARRAY['o%', 'T%']), b ILIKE ALL (ARRAY['%o%', '%e']), row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT b ~ '^o', b ~ 'e$', b ~ '[tT]w', b ~* 'TWO', b !~ 'o', b !~* 'O', row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT b ~ '^(one|two)$', b ~ '^.{3}$', b ~ 'o{1,2}', b ~ '\w', b ~ '[[:upper:]]', b ~ '[^a-z]', b ~ '', row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT 'abc' ~ '^a.c$', E'a\nc' ~ 'a.c', E'a\nc' ~ '^c', 'a.c' ~ 'a\.c', 'abc' ~ 'a\.c', 'aXc' ~* '^AxC$', 'foo' ~ '(foo|bar)+', 'tel: 555' ~ '\d+', 'x' ~ '\S', row_number() OVER ()
SELECT 'abc' SIMILAR TO 'abc', 'abc' SIMILAR TO 'a', 'abc' SIMILAR TO '%(b|d)%', 'abc' SIMILAR TO '(b|c)%', 'abc' NOT SIMILAR TO 'a_c', 'a.c' SIMILAR TO 'a.c', row_number() OVER ()
SELECT path FROM ducklake_data_file WHERE path ~ 'part-00[1-3]\.parquet$' ORDER BY path
SELECT count(*) FROM ducklake_data_file WHERE path LIKE '%5.parquet' AND path !~ '05'
SELECT b, b < 'p', b > 'Two', b BETWEEN 'a' AND 'p', b = 'one', b <> 'one', b IN ('one', 'é') FROM t ORDER BY b COLLATE "C", a
SELECT b FROM t ORDER BY b DESC, a
SELECT min(b), max(b), min(l), max(l), count(DISTINCT b) FROM t
SELECT string_agg(b, ',' ORDER BY b), string_agg(DISTINCT b, '|'), string_agg(b, '' ORDER BY a DESC), string_agg(b, NULL ORDER BY a) FROM t
SELECT c, string_agg(b, '+' ORDER BY a), array_agg(b ORDER BY a) FROM t GROUP BY c ORDER BY c
SELECT length(string_agg(path, ',')) FROM ducklake_data_file
SELECT DISTINCT left(path, 6) FROM ducklake_data_file UNION SELECT path FROM ducklake_delete_file ORDER BY 1
SELECT b::varchar(2), b::char(5), 'ab'::char(5) || 'x', 'abc'::varchar(2), length('ab '::char(5)), row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT 'it''s', E'tab\there', $$dollar 'quoted'$$, '' = '', row_number() OVER () WHERE false
SELECT coalesce(b, 'none'), nullif(b, 'one'), greatest(b, l), least(b, l), row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT CASE b WHEN 'one' THEN 1 WHEN 'two' THEN 2 ELSE 0 END, CASE WHEN b IS NULL THEN 'null' WHEN b = '' THEN 'empty' ELSE b END, rank() OVER (ORDER BY b) FROM t ORDER BY a
SELECT coalesce(repeat(b, 20), 'none'), CASE WHEN a > 1 THEN reverse(repeat(b, 9)) ELSE md5(b) END, row_number() OVER (ORDER BY a) FROM t ORDER BY a
