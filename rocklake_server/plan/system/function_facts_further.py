"""Further functions as PostgreSQL 15 lists them in pg_proc: those over numbers, texts, moments and arrays that both
paths of a SELECT share. Lines are those of ``function_facts``.
"""

from __future__ import annotations

FURTHER = """
1601|acos|701|701|is-fs-|dacos|arccosine|
1199|age|1184 1184|1186|is-fs-|timestamptz_age|date difference preserving months and years|
1386|age|1184|1186|ss-fs-||date difference from today preserving months and years|
2058|age|1114 1114|1186|is-fs-|timestamp_age|date difference preserving months and years|
2059|age|1114|1186|ss-fs-||date difference from today preserving months and years|
383|array_cat|5078 5078|5078|i--fs-||implementation of || operator|
3278|array_position|5078 5077 23|23|i--fs-|array_position_start|returns an offset of value in array with start index|
3279|array_positions|5078 5077|1007|i--fs-||returns an array of offsets of some value in array|
379|array_prepend|5077 5078|5078|i--fs-||prepend element onto front of array|
1620|ascii|25|23|is-fs-||convert first char to int4|
1600|asin|701|701|is-fs-|dasin|arcsine|
1602|atan|701|701|is-fs-|datan|arctangent|
2236|bit_and|21|21|i--as-|aggregate_dummy|bitwise-and smallint aggregate|
2238|bit_and|23|23|i--as-|aggregate_dummy|bitwise-and integer aggregate|
2240|bit_and|20|20|i--as-|aggregate_dummy|bitwise-and bigint aggregate|
1810|bit_length|17|23|is-fs-||length in bits|
1811|bit_length|25|23|is-fs-||length in bits|
2237|bit_or|21|21|i--as-|aggregate_dummy|bitwise-or smallint aggregate|
2239|bit_or|23|23|i--as-|aggregate_dummy|bitwise-or integer aggregate|
2241|bit_or|20|20|i--as-|aggregate_dummy|bitwise-or bigint aggregate|
6164|bit_xor|21|21|i--as-|aggregate_dummy|bitwise-xor smallint aggregate|
6165|bit_xor|23|23|i--as-|aggregate_dummy|bitwise-xor integer aggregate|
6166|bit_xor|20|20|i--as-|aggregate_dummy|bitwise-xor bigint aggregate|
1345|cbrt|701|701|is-fs-|dcbrt|cube root|
1621|chr|23|25|is-fs-||convert int4 to char|
1605|cos|701|701|is-fs-|dcos|cosine|
6177|date_bin|1186 1114 1114|1114|is-fs-|timestamp_bin|bin timestamp into specified interval|
6178|date_bin|1186 1184 1184|1184|is-fs-|timestamptz_bin|bin timestamp with time zone into specified interval|
1171|date_part|25 1184|701|ss-fs-|timestamptz_part|extract field from timestamp with time zone|
1172|date_part|25 1186|701|is-fs-|interval_part|extract field from interval|
1384|date_part|25 1082|701|is-fs-||extract field from date|
1385|date_part|25 1083|701|is-fs-|time_part|extract field from time|
2021|date_part|25 1114|701|is-fs-|timestamp_part|extract field from timestamp|
1217|date_trunc|25 1184|1184|ss-fs-|timestamptz_trunc|truncate timestamp with time zone to specified units|
1284|date_trunc|25 1184 25|1184|ss-fs-|timestamptz_trunc_zone|truncate timestamp with time zone to specified units in \
specified time zone|
1218|date_trunc|25 1186|1186|is-fs-|interval_trunc|truncate interval to specified units|
2020|date_trunc|25 1114|1114|is-fs-|timestamp_trunc|truncate timestamp to specified units|
1947|decode|25 25|17|is-fs-|binary_decode|convert ascii-encoded text string into bytea value|
1608|degrees|701|701|is-fs-||radians to degrees|
1973|div|1700 1700|1700|is-fs-|numeric_div_trunc|trunc(x/y)|
1946|encode|17 25|25|is-fs-|binary_encode|convert bytea value into some ascii-only text string|
1347|exp|701|701|is-fs-|dexp|natural exponential (e^x)|
6199|extract|25 1082|1700|is-fs-|extract_date|extract field from date|
6200|extract|25 1083|1700|is-fs-|extract_time|extract field from time|
6202|extract|25 1114|1700|is-fs-|extract_timestamp|extract field from timestamp|
6203|extract|25 1184|1700|ss-fs-|extract_timestamptz|extract field from timestamp with time zone|
6204|extract|25 1186|1700|is-fs-|extract_interval|extract field from interval|
5044|gcd|23 23|23|is-fs-|int4gcd|greatest common divisor|
5045|gcd|20 20|20|is-fs-|int8gcd|greatest common divisor|
872|initcap|25|25|is-fs-||capitalize each word|
1373|isfinite|1082|16|is-fs-|date_finite|finite date?|
1389|isfinite|1184|16|is-fs-|timestamp_finite|finite timestamp?|
1390|isfinite|1186|16|is-fs-|interval_finite|finite interval?|
2048|isfinite|1114|16|is-fs-|timestamp_finite|finite timestamp?|
1295|justify_days|1186|1186|is-fs-|interval_justify_days|promote groups of 30 days to numbers of months|
1175|justify_hours|1186|1186|is-fs-|interval_justify_hours|promote groups of 24 hours to numbers of days|
5046|lcm|23 23|23|is-fs-|int4lcm|least common multiple|
5047|lcm|20 20|20|is-fs-|int8lcm|least common multiple|
1341|ln|701|701|is-fs-|dlog1|natural logarithm|
1340|log|701|701|is-fs-|dlog10|base 10 logarithm|
1194|log10|701|701|is-fs-|dlog10|base 10 logarithm|
873|lpad|25 23 25|25|is-fs-||left-pad string to length|
879|lpad|25 23|25|is-fs-||left-pad string to length|
3846|make_date|23 23 23|1082|is-fs-||construct date|names=year,month,day
3847|make_time|23 23 701|1083|is-fs-||construct time|names=hour,min,sec
3461|make_timestamp|23 23 23 23 23 701|1114|is-fs-||construct timestamp|names=year,month,mday,hour,min,sec
940|mod|21 21|21|is-fs-|int2mod|modulus|
941|mod|23 23|23|is-fs-|int4mod|modulus|
947|mod|20 20|20|is-fs-|int8mod|modulus|
1728|mod|1700 1700|1700|is-fs-|numeric_mod|modulus|
440|num_nonnulls|2276|23|i--fs-|pg_num_nonnulls|count the number of non-NULL arguments|variadic=2276 all=2276 modes=v
438|num_nulls|2276|23|i--fs-|pg_num_nulls|count the number of NULL arguments|variadic=2276 all=2276 modes=v
1404|overlay|25 25 23 23|25|is-fs-|textoverlay|substitute portion of string|
1405|overlay|25 25 23|25|is-fs-|textoverlay_no_len|substitute portion of string|
1610|pi||701|is-fs-|dpi|PI|
1368|power|701 701|701|is-fs-|dpow|exponentiation|
1609|radians|701|701|is-fs-||degrees to radians|
6254|regexp_count|25 25|23|is-fs-|regexp_count_no_start|count regexp matches|
6263|regexp_like|25 25|16|is-fs-|regexp_like_no_flags|test for regexp match|
6264|regexp_like|25 25 25|16|is-fs-||test for regexp match|
3396|regexp_match|25 25|1009|is-fs-|regexp_match_no_flags|find first match for regexp|
3397|regexp_match|25 25 25|1009|is-fs-||find first match for regexp|
2284|regexp_replace|25 25 25|25|is-fs-|textregexreplace_noopt|replace text using regexp|
2285|regexp_replace|25 25 25 25|25|is-fs-|textregexreplace|replace text using regexp|
2767|regexp_split_to_array|25 25|1009|is-fs-|regexp_split_to_array_no_flags|split string by pattern|
2768|regexp_split_to_array|25 25 25|1009|is-fs-||split string by pattern|
1622|repeat|25 23|25|is-fs-||replicate string n times|
3062|reverse|25|25|is-fs-|text_reverse|reverse text|
874|rpad|25 23 25|25|is-fs-||right-pad string to length|
880|rpad|25 23|25|is-fs-||right-pad string to length|
3419|sha224|17|17|is-fsl|sha224_bytea|SHA-224 hash|
3420|sha256|17|17|is-fsl|sha256_bytea|SHA-256 hash|
3421|sha384|17|17|is-fsl|sha384_bytea|SHA-384 hash|
3422|sha512|17|17|is-fsl|sha512_bytea|SHA-512 hash|
1604|sin|701|701|is-fs-|dsin|sine|
1344|sqrt|701|701|is-fs-|dsqrt|square root|
2154|stddev|20|1700|i--as-|aggregate_dummy|historical alias for stddev_samp|
2155|stddev|23|1700|i--as-|aggregate_dummy|historical alias for stddev_samp|
2156|stddev|21|1700|i--as-|aggregate_dummy|historical alias for stddev_samp|
2157|stddev|700|701|i--as-|aggregate_dummy|historical alias for stddev_samp|
2158|stddev|701|701|i--as-|aggregate_dummy|historical alias for stddev_samp|
2159|stddev|1700|1700|i--as-|aggregate_dummy|historical alias for stddev_samp|
2724|stddev_pop|20|1700|i--as-|aggregate_dummy|population standard deviation of bigint input values|
2725|stddev_pop|23|1700|i--as-|aggregate_dummy|population standard deviation of integer input values|
2726|stddev_pop|21|1700|i--as-|aggregate_dummy|population standard deviation of smallint input values|
2727|stddev_pop|700|701|i--as-|aggregate_dummy|population standard deviation of float4 input values|
2728|stddev_pop|701|701|i--as-|aggregate_dummy|population standard deviation of float8 input values|
2729|stddev_pop|1700|1700|i--as-|aggregate_dummy|population standard deviation of numeric input values|
2712|stddev_samp|20|1700|i--as-|aggregate_dummy|sample standard deviation of bigint input values|
2713|stddev_samp|23|1700|i--as-|aggregate_dummy|sample standard deviation of integer input values|
2714|stddev_samp|21|1700|i--as-|aggregate_dummy|sample standard deviation of smallint input values|
2715|stddev_samp|700|701|i--as-|aggregate_dummy|sample standard deviation of float4 input values|
2716|stddev_samp|701|701|i--as-|aggregate_dummy|sample standard deviation of float8 input values|
2717|stddev_samp|1700|1700|i--as-|aggregate_dummy|sample standard deviation of numeric input values|
1606|tan|701|701|is-fs-|dtan|tangent|
1026|timezone|1186 1184|1114|is-fs-|timestamptz_izone|adjust timestamp to new time zone|
1159|timezone|25 1184|1114|is-fs-|timestamptz_zone|adjust timestamp to new time zone|
2069|timezone|25 1114|1184|is-fs-|timestamp_zone|adjust timestamp to new time zone|
2070|timezone|1186 1114|1184|is-fs-|timestamp_izone|adjust timestamp to new time zone|
1768|to_char|1186 25|25|ss-fs-|interval_to_char|format interval to text|
1770|to_char|1184 25|25|ss-fs-|timestamptz_to_char|format timestamp with time zone to text|
1772|to_char|1700 25|25|ss-fs-|numeric_to_char|format numeric to text|
1776|to_char|701 25|25|ss-fs-|float8_to_char|format float8 to text|
2049|to_char|1114 25|25|ss-fs-|timestamp_to_char|format timestamp to text|
2089|to_hex|23|25|is-fs-|to_hex32|convert int4 number to hex|
2090|to_hex|20|25|is-fs-|to_hex64|convert int8 number to hex|
1158|to_timestamp|701|1184|is-fs-|float8_timestamptz|convert UNIX epoch to timestamptz|
878|translate|25 25 25|25|is-fs-||map a set of characters appearing in string|
1343|trunc|701|701|is-fs-|dtrunc|truncate to integer|
1709|trunc|1700 23|1700|is-fs-|numeric_trunc|value truncated to 'scale'|
1710|trunc|1700|1700|is-fs-||value truncated to 'scale' of zero|
2718|var_pop|20|1700|i--as-|aggregate_dummy|population variance of bigint input values (square of the population \
standard deviation)|
2719|var_pop|23|1700|i--as-|aggregate_dummy|population variance of integer input values (square of the population \
standard deviation)|
2720|var_pop|21|1700|i--as-|aggregate_dummy|population variance of smallint input values (square of the population \
standard deviation)|
2721|var_pop|700|701|i--as-|aggregate_dummy|population variance of float4 input values (square of the population \
standard deviation)|
2722|var_pop|701|701|i--as-|aggregate_dummy|population variance of float8 input values (square of the population \
standard deviation)|
2723|var_pop|1700|1700|i--as-|aggregate_dummy|population variance of numeric input values (square of the population \
standard deviation)|
2641|var_samp|20|1700|i--as-|aggregate_dummy|sample variance of bigint input values (square of the sample standard \
deviation)|
2642|var_samp|23|1700|i--as-|aggregate_dummy|sample variance of integer input values (square of the sample standard \
deviation)|
2643|var_samp|21|1700|i--as-|aggregate_dummy|sample variance of smallint input values (square of the sample standard \
deviation)|
2644|var_samp|700|701|i--as-|aggregate_dummy|sample variance of float4 input values (square of the sample standard \
deviation)|
2645|var_samp|701|701|i--as-|aggregate_dummy|sample variance of float8 input values (square of the sample standard \
deviation)|
2646|var_samp|1700|1700|i--as-|aggregate_dummy|sample variance of numeric input values (square of the sample standard \
deviation)|
2148|variance|20|1700|i--as-|aggregate_dummy|historical alias for var_samp|
2149|variance|23|1700|i--as-|aggregate_dummy|historical alias for var_samp|
2150|variance|21|1700|i--as-|aggregate_dummy|historical alias for var_samp|
2151|variance|700|701|i--as-|aggregate_dummy|historical alias for var_samp|
2152|variance|701|701|i--as-|aggregate_dummy|historical alias for var_samp|
2153|variance|1700|1700|i--as-|aggregate_dummy|historical alias for var_samp|
320|width_bucket|701 701 701 23|23|is-fs-|width_bucket_float8|bucket number of operand in equal-width histogram|
"""
