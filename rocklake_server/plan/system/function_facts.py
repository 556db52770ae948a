"""The functions that the server has, as PostgreSQL 15 lists them in pg_proc: those under whose name and argument types
a call is served. What reads and prints types is in ``pg_catalog_types``.

A line: OID, name, argument types, result type, flags, symbol where it is another word, description, further facts.
Flags: volatility, strict, returns a set, kind, parallel safety, leakproof.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rocklake_server.plan.system.function_facts_further import FURTHER
from rocklake_server.plan.system.function_facts_json import JSON_FUNCTIONS

_LISTED = """
1394|abs|700|700|is-fs-|float4abs|absolute value|
1395|abs|701|701|is-fs-|float8abs|absolute value|
1396|abs|20|20|is-fs-|int8abs|absolute value|
1397|abs|23|23|is-fs-|int4abs|absolute value|
1398|abs|21|21|is-fs-|int2abs|absolute value|
1705|abs|1700|1700|is-fs-|numeric_abs|absolute value|
2335|array_agg|2776|2277|i--as-|aggregate_dummy|concatenate aggregate input into an array|
4053|array_agg|2277|2277|i--as-|aggregate_dummy|concatenate aggregate input into an array|
378|array_append|5078 5077|5078|i--fs-||append element onto end of array|
2176|array_length|2277 23|23|is-fs-||array length|
2091|array_lower|2277 23|23|is-fs-||array lower dimension|
748|array_ndims|2277|23|is-fs-||number of array dimensions|
3277|array_position|5078 5077|23|i--fs-||returns an offset of value in array|
3167|array_remove|5078 5077|5078|i--fs-||remove any occurrences of an element from an array|
384|array_to_string|2277 25 25|25|s--fs-|array_to_text_null|concatenate array elements, using delimiter and null \
string, into text|
395|array_to_string|2277 25|25|ss-fs-|array_to_text|concatenate array elements, using delimiter, into text|
2092|array_upper|2277 23|23|is-fs-||array upper dimension|
2100|avg|20|1700|i--as-|aggregate_dummy|the average (arithmetic mean) as numeric of all bigint values|
2101|avg|23|1700|i--as-|aggregate_dummy|the average (arithmetic mean) as numeric of all integer values|
2102|avg|21|1700|i--as-|aggregate_dummy|the average (arithmetic mean) as numeric of all smallint values|
2103|avg|1700|1700|i--as-|aggregate_dummy|the average (arithmetic mean) as numeric of all numeric values|
2104|avg|700|701|i--as-|aggregate_dummy|the average (arithmetic mean) as float8 of all float4 values|
2105|avg|701|701|i--as-|aggregate_dummy|the average (arithmetic mean) as float8 of all float8 values|
2106|avg|1186|1186|i--as-|aggregate_dummy|the average (arithmetic mean) as interval of all interval values|
2517|bool_and|16|16|i--as-|aggregate_dummy|boolean-and aggregate|
2518|bool_or|16|16|i--as-|aggregate_dummy|boolean-or aggregate|
330|bthandler|2281|325|vs-fs-||btree index access method handler|
884|btrim|25 25|25|is-fs-||trim selected characters from both ends of string|
885|btrim|25|25|is-fs-|btrim1|trim spaces from both ends of string|
3179|cardinality|2277|23|is-fs-|array_cardinality|array cardinality|
1711|ceil|1700|1700|is-fs-|numeric_ceil|nearest integer >= value|
2308|ceil|701|701|is-fs-|dceil|nearest integer >= value|
2167|ceiling|1700|1700|is-fs-|numeric_ceil|nearest integer >= value|
2320|ceiling|701|701|is-fs-|dceil|nearest integer >= value|
1372|char_length|1042|23|is-fs-|bpcharlen|character length|
1381|char_length|25|23|is-fs-|textlen|character length|
1367|character_length|1042|23|is-fs-|bpcharlen|character length|
1369|character_length|25|23|is-fs-|textlen|character length|
1216|col_description|26 23|25|ss-fs-||get description for table column|cost=100
3058|concat|2276|25|s--fs-|text_concat|concatenate values|variadic=2276 all=2276 modes=v
3059|concat_ws|25 2276|25|s--fs-|text_concat_ws|concatenate values with separators|variadic=2276 all=25,2276 modes=i,v
2147|count|2276|20|i--as-|aggregate_dummy|number of input rows for which the input expression is not null|support=6236
2803|count||20|i--as-|aggregate_dummy|number of input rows|support=6236
861|current_database||19|ss-fs-||name of the current database|
1402|current_schema||19|ss-fu-||current schema name|
1403|current_schemas|16|1003|ss-fu-||current schema search list|
2077|current_setting|25|25|ss-fs-|show_config_by_name|SHOW X as a function|
3294|current_setting|25 16|25|ss-fs-|show_config_by_name_missing_ok|SHOW X as a function, optionally no error for \
missing variable|
745|current_user||19|ss-fs-||current user name|
2519|every|16|16|i--as-|aggregate_dummy|boolean-and aggregate|
1712|floor|1700|1700|is-fs-|numeric_floor|nearest integer <= value|
2309|floor|701|701|is-fs-|dfloor|nearest integer <= value|
3539|format|25 2276|25|s--fs-|text_format|format text message|variadic=2276 all=25,2276 modes=i,v
3540|format|25|25|s--fs-|text_format_nv|format text message|
1081|format_type|26 23|25|s--fs-||format a type oid and atttypmod to canonical SQL|
1066|generate_series|23 23 23|23|isrfs-|generate_series_step_int4|non-persistent series generator|rows=1000 \
support=3994
1067|generate_series|23 23|23|isrfs-|generate_series_int4|non-persistent series generator|rows=1000 support=3994
1068|generate_series|20 20 20|20|isrfs-|generate_series_step_int8|non-persistent series generator|rows=1000 \
support=3995
1069|generate_series|20 20|20|isrfs-|generate_series_int8|non-persistent series generator|rows=1000 support=3995
1039|getdatabaseencoding||19|ss-fs-||encoding name of current database|
3024|has_any_column_privilege|19 25 25|16|ss-fs-|has_any_column_privilege_name_name|user privilege on any column by \
username, rel name|cost=10
3025|has_any_column_privilege|19 26 25|16|ss-fs-|has_any_column_privilege_name_id|user privilege on any column by \
username, rel oid|cost=10
3026|has_any_column_privilege|26 25 25|16|ss-fs-|has_any_column_privilege_id_name|user privilege on any column by \
user oid, rel name|cost=10
3027|has_any_column_privilege|26 26 25|16|ss-fs-|has_any_column_privilege_id_id|user privilege on any column by user \
oid, rel oid|cost=10
3028|has_any_column_privilege|25 25|16|ss-fs-|has_any_column_privilege_name|current user privilege on any column by \
rel name|cost=10
3029|has_any_column_privilege|26 25|16|ss-fs-|has_any_column_privilege_id|current user privilege on any column by \
rel oid|cost=10
3012|has_column_privilege|19 25 25 25|16|ss-fs-|has_column_privilege_name_name_name|user privilege on column by \
username, rel name, col name|
3013|has_column_privilege|19 25 21 25|16|ss-fs-|has_column_privilege_name_name_attnum|user privilege on column by \
username, rel name, col attnum|
3014|has_column_privilege|19 26 25 25|16|ss-fs-|has_column_privilege_name_id_name|user privilege on column by \
username, rel oid, col name|
3015|has_column_privilege|19 26 21 25|16|ss-fs-|has_column_privilege_name_id_attnum|user privilege on column by \
username, rel oid, col attnum|
3016|has_column_privilege|26 25 25 25|16|ss-fs-|has_column_privilege_id_name_name|user privilege on column by user \
oid, rel name, col name|
3017|has_column_privilege|26 25 21 25|16|ss-fs-|has_column_privilege_id_name_attnum|user privilege on column by user \
oid, rel name, col attnum|
3018|has_column_privilege|26 26 25 25|16|ss-fs-|has_column_privilege_id_id_name|user privilege on column by user \
oid, rel oid, col name|
3019|has_column_privilege|26 26 21 25|16|ss-fs-|has_column_privilege_id_id_attnum|user privilege on column by user \
oid, rel oid, col attnum|
3020|has_column_privilege|25 25 25|16|ss-fs-|has_column_privilege_name_name|current user privilege on column by rel \
name, col name|
3021|has_column_privilege|25 21 25|16|ss-fs-|has_column_privilege_name_attnum|current user privilege on column by \
rel name, col attnum|
3022|has_column_privilege|26 25 25|16|ss-fs-|has_column_privilege_id_name|current user privilege on column by rel \
oid, col name|
3023|has_column_privilege|26 21 25|16|ss-fs-|has_column_privilege_id_attnum|current user privilege on column by rel \
oid, col attnum|
2250|has_database_privilege|19 25 25|16|ss-fs-|has_database_privilege_name_name|user privilege on database by \
username, database name|
2251|has_database_privilege|19 26 25|16|ss-fs-|has_database_privilege_name_id|user privilege on database by \
username, database oid|
2252|has_database_privilege|26 25 25|16|ss-fs-|has_database_privilege_id_name|user privilege on database by user \
oid, database name|
2253|has_database_privilege|26 26 25|16|ss-fs-|has_database_privilege_id_id|user privilege on database by user oid, \
database oid|
2254|has_database_privilege|25 25|16|ss-fs-|has_database_privilege_name|current user privilege on database by \
database name|
2255|has_database_privilege|26 25|16|ss-fs-|has_database_privilege_id|current user privilege on database by database \
oid|
3000|has_foreign_data_wrapper_privilege|19 25 25|16|ss-fs-|has_foreign_data_wrapper_privilege_name_name|user \
privilege on foreign data wrapper by username, foreign data wrapper name|
3001|has_foreign_data_wrapper_privilege|19 26 25|16|ss-fs-|has_foreign_data_wrapper_privilege_name_id|user privilege \
on foreign data wrapper by username, foreign data wrapper oid|
3002|has_foreign_data_wrapper_privilege|26 25 25|16|ss-fs-|has_foreign_data_wrapper_privilege_id_name|user privilege \
on foreign data wrapper by user oid, foreign data wrapper name|
3003|has_foreign_data_wrapper_privilege|26 26 25|16|ss-fs-|has_foreign_data_wrapper_privilege_id_id|user privilege \
on foreign data wrapper by user oid, foreign data wrapper oid|
3004|has_foreign_data_wrapper_privilege|25 25|16|ss-fs-|has_foreign_data_wrapper_privilege_name|current user \
privilege on foreign data wrapper by foreign data wrapper name|
3005|has_foreign_data_wrapper_privilege|26 25|16|ss-fs-|has_foreign_data_wrapper_privilege_id|current user privilege \
on foreign data wrapper by foreign data wrapper oid|
2256|has_function_privilege|19 25 25|16|ss-fs-|has_function_privilege_name_name|user privilege on function by \
username, function name|
2257|has_function_privilege|19 26 25|16|ss-fs-|has_function_privilege_name_id|user privilege on function by \
username, function oid|
2258|has_function_privilege|26 25 25|16|ss-fs-|has_function_privilege_id_name|user privilege on function by user \
oid, function name|
2259|has_function_privilege|26 26 25|16|ss-fs-|has_function_privilege_id_id|user privilege on function by user oid, \
function oid|
2260|has_function_privilege|25 25|16|ss-fs-|has_function_privilege_name|current user privilege on function by \
function name|
2261|has_function_privilege|26 25|16|ss-fs-|has_function_privilege_id|current user privilege on function by function \
oid|
2262|has_language_privilege|19 25 25|16|ss-fs-|has_language_privilege_name_name|user privilege on language by \
username, language name|
2263|has_language_privilege|19 26 25|16|ss-fs-|has_language_privilege_name_id|user privilege on language by \
username, language oid|
2264|has_language_privilege|26 25 25|16|ss-fs-|has_language_privilege_id_name|user privilege on language by user \
oid, language name|
2265|has_language_privilege|26 26 25|16|ss-fs-|has_language_privilege_id_id|user privilege on language by user oid, \
language oid|
2266|has_language_privilege|25 25|16|ss-fs-|has_language_privilege_name|current user privilege on language by \
language name|
2267|has_language_privilege|26 25|16|ss-fs-|has_language_privilege_id|current user privilege on language by language \
oid|
2268|has_schema_privilege|19 25 25|16|ss-fs-|has_schema_privilege_name_name|user privilege on schema by username, \
schema name|
2269|has_schema_privilege|19 26 25|16|ss-fs-|has_schema_privilege_name_id|user privilege on schema by username, \
schema oid|
2270|has_schema_privilege|26 25 25|16|ss-fs-|has_schema_privilege_id_name|user privilege on schema by user oid, \
schema name|
2271|has_schema_privilege|26 26 25|16|ss-fs-|has_schema_privilege_id_id|user privilege on schema by user oid, schema \
oid|
2272|has_schema_privilege|25 25|16|ss-fs-|has_schema_privilege_name|current user privilege on schema by schema name|
2273|has_schema_privilege|26 25|16|ss-fs-|has_schema_privilege_id|current user privilege on schema by schema oid|
2181|has_sequence_privilege|19 25 25|16|ss-fs-|has_sequence_privilege_name_name|user privilege on sequence by \
username, seq name|
2182|has_sequence_privilege|19 26 25|16|ss-fs-|has_sequence_privilege_name_id|user privilege on sequence by \
username, seq oid|
2183|has_sequence_privilege|26 25 25|16|ss-fs-|has_sequence_privilege_id_name|user privilege on sequence by user \
oid, seq name|
2184|has_sequence_privilege|26 26 25|16|ss-fs-|has_sequence_privilege_id_id|user privilege on sequence by user oid, \
seq oid|
2185|has_sequence_privilege|25 25|16|ss-fs-|has_sequence_privilege_name|current user privilege on sequence by seq \
name|
2186|has_sequence_privilege|26 25|16|ss-fs-|has_sequence_privilege_id|current user privilege on sequence by seq oid|
3006|has_server_privilege|19 25 25|16|ss-fs-|has_server_privilege_name_name|user privilege on server by username, \
server name|
3007|has_server_privilege|19 26 25|16|ss-fs-|has_server_privilege_name_id|user privilege on server by username, \
server oid|
3008|has_server_privilege|26 25 25|16|ss-fs-|has_server_privilege_id_name|user privilege on server by user oid, \
server name|
3009|has_server_privilege|26 26 25|16|ss-fs-|has_server_privilege_id_id|user privilege on server by user oid, server \
oid|
3010|has_server_privilege|25 25|16|ss-fs-|has_server_privilege_name|current user privilege on server by server name|
3011|has_server_privilege|26 25|16|ss-fs-|has_server_privilege_id|current user privilege on server by server oid|
1922|has_table_privilege|19 25 25|16|ss-fs-|has_table_privilege_name_name|user privilege on relation by username, \
rel name|
1923|has_table_privilege|19 26 25|16|ss-fs-|has_table_privilege_name_id|user privilege on relation by username, rel \
oid|
1924|has_table_privilege|26 25 25|16|ss-fs-|has_table_privilege_id_name|user privilege on relation by user oid, rel \
name|
1925|has_table_privilege|26 26 25|16|ss-fs-|has_table_privilege_id_id|user privilege on relation by user oid, rel oid|
1926|has_table_privilege|25 25|16|ss-fs-|has_table_privilege_name|current user privilege on relation by rel name|
1927|has_table_privilege|26 25|16|ss-fs-|has_table_privilege_id|current user privilege on relation by rel oid|
2390|has_tablespace_privilege|19 25 25|16|ss-fs-|has_tablespace_privilege_name_name|user privilege on tablespace by \
username, tablespace name|
2391|has_tablespace_privilege|19 26 25|16|ss-fs-|has_tablespace_privilege_name_id|user privilege on tablespace by \
username, tablespace oid|
2392|has_tablespace_privilege|26 25 25|16|ss-fs-|has_tablespace_privilege_id_name|user privilege on tablespace by \
user oid, tablespace name|
2393|has_tablespace_privilege|26 26 25|16|ss-fs-|has_tablespace_privilege_id_id|user privilege on tablespace by user \
oid, tablespace oid|
2394|has_tablespace_privilege|25 25|16|ss-fs-|has_tablespace_privilege_name|current user privilege on tablespace by \
tablespace name|
2395|has_tablespace_privilege|26 25|16|ss-fs-|has_tablespace_privilege_id|current user privilege on tablespace by \
tablespace oid|
3138|has_type_privilege|19 25 25|16|ss-fs-|has_type_privilege_name_name|user privilege on type by username, type name|
3139|has_type_privilege|19 26 25|16|ss-fs-|has_type_privilege_name_id|user privilege on type by username, type oid|
3140|has_type_privilege|26 25 25|16|ss-fs-|has_type_privilege_id_name|user privilege on type by user oid, type name|
3141|has_type_privilege|26 26 25|16|ss-fs-|has_type_privilege_id_id|user privilege on type by user oid, type oid|
3142|has_type_privilege|25 25|16|ss-fs-|has_type_privilege_name|current user privilege on type by type name|
3143|has_type_privilege|26 25|16|ss-fs-|has_type_privilege_id|current user privilege on type by type oid|
3|heap_tableam_handler|2281|269|vs-fs-||row-oriented heap table access method handler|
2196|inet_client_addr||869|s--fr-||inet address of the client|
3060|left|25 23|25|is-fs-|text_left|extract the first n characters|
1317|length|25|23|is-fs-|textlen|length|
1318|length|1042|23|is-fs-|bpcharlen|character length|
2010|length|17|23|is-fs-|byteaoctetlen|octet length|
870|lower|25|25|is-fs-||lowercase|
875|ltrim|25 25|25|is-fs-||trim selected characters from left end of string|
881|ltrim|25|25|is-fs-|ltrim1|trim spaces from left end of string|
2050|max|2277|2277|i--as-|aggregate_dummy|maximum value of all anyarray input values|
2115|max|20|20|i--as-|aggregate_dummy|maximum value of all bigint input values|
2116|max|23|23|i--as-|aggregate_dummy|maximum value of all integer input values|
2117|max|21|21|i--as-|aggregate_dummy|maximum value of all smallint input values|
2118|max|26|26|i--as-|aggregate_dummy|maximum value of all oid input values|
2119|max|700|700|i--as-|aggregate_dummy|maximum value of all float4 input values|
2120|max|701|701|i--as-|aggregate_dummy|maximum value of all float8 input values|
2122|max|1082|1082|i--as-|aggregate_dummy|maximum value of all date input values|
2123|max|1083|1083|i--as-|aggregate_dummy|maximum value of all time input values|
2124|max|1266|1266|i--as-|aggregate_dummy|maximum value of all time with time zone input values|
2126|max|1114|1114|i--as-|aggregate_dummy|maximum value of all timestamp input values|
2127|max|1184|1184|i--as-|aggregate_dummy|maximum value of all timestamp with time zone input values|
2128|max|1186|1186|i--as-|aggregate_dummy|maximum value of all interval input values|
2129|max|25|25|i--as-|aggregate_dummy|maximum value of all text input values|
2130|max|1700|1700|i--as-|aggregate_dummy|maximum value of all numeric input values|
2244|max|1042|1042|i--as-|aggregate_dummy|maximum value of all bpchar input values|
2797|max|27|27|i--as-|aggregate_dummy|maximum value of all tid input values|
2311|md5|25|25|is-fsl|md5_text|MD5 hash|
2051|min|2277|2277|i--as-|aggregate_dummy|minimum value of all anyarray input values|
2131|min|20|20|i--as-|aggregate_dummy|minimum value of all bigint input values|
2132|min|23|23|i--as-|aggregate_dummy|minimum value of all integer input values|
2133|min|21|21|i--as-|aggregate_dummy|minimum value of all smallint input values|
2134|min|26|26|i--as-|aggregate_dummy|minimum value of all oid input values|
2135|min|700|700|i--as-|aggregate_dummy|minimum value of all float4 input values|
2136|min|701|701|i--as-|aggregate_dummy|minimum value of all float8 input values|
2138|min|1082|1082|i--as-|aggregate_dummy|minimum value of all date input values|
2139|min|1083|1083|i--as-|aggregate_dummy|minimum value of all time input values|
2140|min|1266|1266|i--as-|aggregate_dummy|minimum value of all time with time zone input values|
2142|min|1114|1114|i--as-|aggregate_dummy|minimum value of all timestamp input values|
2143|min|1184|1184|i--as-|aggregate_dummy|minimum value of all timestamp with time zone input values|
2144|min|1186|1186|i--as-|aggregate_dummy|minimum value of all interval input values|
2145|min|25|25|i--as-|aggregate_dummy|minimum value of all text values|
2146|min|1700|1700|i--as-|aggregate_dummy|minimum value of all numeric input values|
2245|min|1042|1042|i--as-|aggregate_dummy|minimum value of all bpchar input values|
2798|min|27|27|i--as-|aggregate_dummy|minimum value of all tid input values|
1299|now||1184|ss-fs-||current transaction time|
1215|obj_description|26 19|25|ss-fs-||get description for object id and catalog name|cost=100
1348|obj_description|26|25|ss-fs-||deprecated, use two-argument form instead|cost=100
720|octet_length|17|23|is-fs-|byteaoctetlen|octet length|
1374|octet_length|25|23|is-fs-|textoctetlen|octet length|
1375|octet_length|1042|23|is-fs-|bpcharoctetlen|octet length|
1349|oidvectortypes|30|25|ss-fs-||print type names of oidvector field|
2892|pg_advisory_unlock_all||2278|vs-fr-||release all advisory locks|
2026|pg_backend_pid||23|ss-fr-||statistics: current backend PID|
1264|pg_char_to_encoding|19|23|ss-fs-|PG_char_to_encoding|convert encoding name to encoding id|
810|pg_client_encoding||19|ss-fs-||encoding name of current database|
3815|pg_collation_is_visible|26|16|ss-fs-||is collation visible in search path?|cost=10
2093|pg_conversion_is_visible|26|16|ss-fs-||is conversion visible in search path?|cost=10
2168|pg_database_size|19|20|vs-fs-|pg_database_size_name|total disk space usage for the specified database|
2324|pg_database_size|26|20|vs-fs-|pg_database_size_oid|total disk space usage for the specified database|
1597|pg_encoding_to_char|23|19|ss-fs-|PG_encoding_to_char|convert encoding id to encoding name|
3809|pg_export_snapshot||25|vs-fu-||export a snapshot|
2081|pg_function_is_visible|26|16|ss-fs-||is function visible in search path?|cost=10
1387|pg_get_constraintdef|26|25|ss-fs-||constraint description|
2508|pg_get_constraintdef|26 16|25|ss-fs-|pg_get_constraintdef_ext|constraint description with pretty-print option|
2162|pg_get_function_arguments|26|25|ss-fs-||argument list of a function|
2232|pg_get_function_identity_arguments|26|25|ss-fs-||identity argument list of a function|
2165|pg_get_function_result|26|25|ss-fs-||result type of a function|
6197|pg_get_function_sqlbody|26|25|ss-fs-||function SQL body|
2098|pg_get_functiondef|26|25|ss-fs-||definition of a function|
1643|pg_get_indexdef|26|25|ss-fs-||index description|
2507|pg_get_indexdef|26 23 16|25|ss-fs-|pg_get_indexdef_ext|index description (full create statement or single \
expression) with pretty-print option|
1686|pg_get_keywords||2249|ssrfs-||list of SQL keywords|cost=10 rows=500 all=25,18,16,25,25 modes=o,o,o,o,o \
names=word,catcode,barelabel,catdesc,baredesc
3408|pg_get_partition_constraintdef|26|25|ss-fs-||partition constraint description|
3352|pg_get_partkeydef|26|25|ss-fs-||partition key description|
1573|pg_get_ruledef|26|25|ss-fs-||source text of a rule|
2504|pg_get_ruledef|26 16|25|ss-fs-|pg_get_ruledef_ext|source text of a rule with pretty-print option|
1665|pg_get_serial_sequence|25 25|25|ss-fs-||name of sequence for a serial column|
3415|pg_get_statisticsobjdef|26|25|ss-fs-||extended statistics object description|
6174|pg_get_statisticsobjdef_columns|26|25|ss-fs-||extended statistics columns|
1662|pg_get_triggerdef|26|25|ss-fs-||trigger description|
2730|pg_get_triggerdef|26 16|25|ss-fs-|pg_get_triggerdef_ext|trigger description with pretty-print option|
1642|pg_get_userbyid|26|19|ss-fs-||role name by OID (with fallback)|
1641|pg_get_viewdef|26|25|ss-fr-||select statement of a view|
2506|pg_get_viewdef|26 16|25|ss-fr-|pg_get_viewdef_ext|select statement of a view with pretty-print option|
2705|pg_has_role|19 19 25|16|ss-fs-|pg_has_role_name_name|user privilege on role by username, role name|
2706|pg_has_role|19 26 25|16|ss-fs-|pg_has_role_name_id|user privilege on role by username, role oid|
2707|pg_has_role|26 19 25|16|ss-fs-|pg_has_role_id_name|user privilege on role by user oid, role name|
2708|pg_has_role|26 26 25|16|ss-fs-|pg_has_role_id_id|user privilege on role by user oid, role oid|
2709|pg_has_role|19 25|16|ss-fs-|pg_has_role_name|current user privilege on role by role name|
2710|pg_has_role|26 25|16|ss-fs-|pg_has_role_id|current user privilege on role by role oid|
2998|pg_indexes_size|2205|20|vs-fs-||disk space usage for all indexes attached to the specified table|
3810|pg_is_in_recovery||16|vs-fs-||true if server is in recovery|
2855|pg_is_other_temp_schema|26|16|ss-fs-||is schema another session's temp schema?|
2854|pg_my_temp_schema||26|ss-fr-||get OID of current session's temp schema, if any|
2083|pg_opclass_is_visible|26|16|ss-fs-||is opclass visible in search path?|cost=10
2082|pg_operator_is_visible|26|16|ss-fs-||is operator visible in search path?|cost=10
3829|pg_opfamily_is_visible|26|16|ss-fs-||is opfamily visible in search path?|cost=10
3425|pg_partition_ancestors|2205|2205|vsrfs-||view ancestors of the partition|rows=10 all=2205,2205 modes=i,o \
names=partitionid,relid
3423|pg_partition_tree|2205|2249|vsrfs-||view partition tree tables|rows=1000 all=2205,2205,2205,16,23 \
modes=i,o,o,o,o names=rootrelid,relid,parentrelid,isleaf,level
6121|pg_relation_is_publishable|2205|16|ss-fs-||returns whether a relation can be part of a publication|
2325|pg_relation_size|2205|20|vs-fs-||disk space usage for the main fork of the specified table or index|
2332|pg_relation_size|2205 25|20|vs-fs-||disk space usage for the specified fork of a table or index|
2288|pg_size_pretty|20|25|is-fs-||convert a long int to a human readable text using size units|
3166|pg_size_pretty|1700|25|is-fs-|pg_size_pretty_numeric|convert a numeric to a human readable text using size units|
3403|pg_statistics_obj_is_visible|26|16|ss-fs-||is statistics object visible in search path?|cost=10
2079|pg_table_is_visible|26|16|ss-fs-||is table visible in search path?|cost=10
2997|pg_table_size|2205|20|vs-fs-||disk space usage for the specified table, including TOAST, free space and \
visibility map|
3778|pg_tablespace_location|26|25|ss-fs-||tablespace location|
2322|pg_tablespace_size|26|20|vs-fs-|pg_tablespace_size_oid|total disk space usage for the specified tablespace|
2323|pg_tablespace_size|19|20|vs-fs-|pg_tablespace_size_name|total disk space usage for the specified tablespace|
2286|pg_total_relation_size|2205|20|vs-fs-||total disk space usage for the specified table and associated indexes|
3758|pg_ts_config_is_visible|26|16|ss-fs-||is text search configuration visible in search path?|cost=10
3757|pg_ts_dict_is_visible|26|16|ss-fs-||is text search dictionary visible in search path?|cost=10
3756|pg_ts_parser_is_visible|26|16|ss-fs-||is text search parser visible in search path?|cost=10
3768|pg_ts_template_is_visible|26|16|ss-fs-||is text search template visible in search path?|cost=10
2080|pg_type_is_visible|26|16|ss-fs-||is type visible in search path?|cost=10
1282|quote_ident|25|25|is-fs-||quote an identifier for usage in a querystring|
1283|quote_literal|25|25|is-fs-||quote a literal for usage in a querystring|
1285|quote_literal|2283|25|ss-fs-||quote a data value for usage in a querystring|
1289|quote_nullable|25|25|i--fs-||quote a possibly-null literal for usage in a querystring|
1290|quote_nullable|2283|25|s--fs-||quote a possibly-null data value for usage in a querystring|
2087|replace|25 25 25|25|is-fs-|replace_text|replace all occurrences in string of old_substr with new_substr|
3061|right|25 23|25|is-fs-|text_right|extract the last n characters|
1342|round|701|701|is-fs-|dround|round to nearest integer|
1707|round|1700 23|1700|is-fs-|numeric_round|value rounded to 'scale'|
1708|round|1700|1700|is-fs-||value rounded to 'scale' of zero|
876|rtrim|25 25|25|is-fs-||trim selected characters from right end of string|
882|rtrim|25|25|is-fs-|rtrim1|trim spaces from right end of string|
746|session_user||19|ss-fs-||session user name|
2078|set_config|25 25 16|25|v--fu-|set_config_by_name|SET X as a function|
1993|shobj_description|26 19|25|ss-fs-||get description for object id and shared catalog name|cost=100
1706|sign|1700|1700|is-fs-|numeric_sign|sign of value|
2310|sign|701|701|is-fs-|dsign|sign of value|
2088|split_part|25 25 23|25|is-fs-||split string by field_sep and return field_num|
3696|starts_with|25 25|16|is-fsl|text_starts_with|implementation of ^@ operator|support=6242
3538|string_agg|25 25|25|i--as-|aggregate_dummy|concatenate aggregate input into a string|
3545|string_agg|17 17|17|i--as-|aggregate_dummy|concatenate aggregate input into a bytea|
376|string_to_array|25 25 25|1009|i--fs-|text_to_array_null|split delimited text, with null string|
394|string_to_array|25 25|1009|i--fs-|text_to_array|split delimited text|
6160|string_to_table|25 25|25|i-rfs-|text_to_table|split delimited text|rows=1000
6161|string_to_table|25 25 25|25|i-rfs-|text_to_table_null|split delimited text, with null string|rows=1000
868|strpos|25 25|23|is-fs-|textpos|position of substring|
877|substr|25 23 23|25|is-fs-|text_substr|extract portion of string|
883|substr|25 23|25|is-fs-|text_substr_no_len|extract portion of string|
936|substring|25 23 23|25|is-fs-|text_substr|extract portion of string|
937|substring|25 23|25|is-fs-|text_substr_no_len|extract portion of string|
2107|sum|20|1700|i--as-|aggregate_dummy|sum as numeric across all bigint input values|
2108|sum|23|20|i--as-|aggregate_dummy|sum as bigint across all integer input values|
2109|sum|21|20|i--as-|aggregate_dummy|sum as bigint across all smallint input values|
2110|sum|700|700|i--as-|aggregate_dummy|sum as float4 across all float4 input values|
2111|sum|701|701|i--as-|aggregate_dummy|sum as float8 across all float8 input values|
2113|sum|1186|1186|i--as-|aggregate_dummy|sum as interval across all interval input values|
2114|sum|1700|1700|i--as-|aggregate_dummy|sum as numeric across all numeric input values|
3495|to_regclass|25|2205|ss-fs-||convert classname to regclass|
3493|to_regtype|25|2206|ss-fs-||convert type name to regtype|
2647|transaction_timestamp||1184|ss-fs-|now|current transaction time|
2331|unnest|2277|2283|isrfs-|array_unnest|expand array to set of rows|rows=100 support=3996
871|upper|25|25|is-fs-||uppercase|
89|version||25|ss-fs-|pgsql_version|PostgreSQL version string|
"""


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    oid: int
    name: str
    arguments: tuple[int, ...]
    result: int
    flags: str
    source: str
    description: str
    further: dict[str, str] = field(default_factory=dict)

    def numbers(self, name: str) -> tuple[int, ...] | None:
        """A further fact that is a list of numbers."""
        return tuple(map(int, self.further[name].split(","))) if name in self.further else None

    def words(self, name: str) -> tuple[str, ...] | None:
        """A further fact that is a list of words."""
        return tuple(self.further[name].split(",")) if name in self.further else None


def function_facts() -> Iterator[FunctionFacts]:
    for line in (line for listed in (_LISTED, FURTHER, JSON_FUNCTIONS) for line in listed.strip().splitlines()):
        oid, name, arguments, result, flags, source, text = line.split("|", 6)
        description, _, further = text.rpartition("|")
        yield FunctionFacts(
            int(oid), name, tuple(map(int, arguments.split())), int(result), flags, source or name, description,
            dict(fact.split("=") for fact in further.split()),
        )
