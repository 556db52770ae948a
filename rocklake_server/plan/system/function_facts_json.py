"""The functions of json and jsonb as PostgreSQL 15 lists them in pg_proc. Lines are those of ``function_facts``."""

from __future__ import annotations

JSON_FUNCTIONS = """
3153|array_to_json|2277|114|ss-fs-||map array to json|
3175|json_agg|2283|114|s--as-|aggregate_dummy|aggregate input into json|
3955|json_array_elements|114|114|isrfs-||key value pairs of a json object|rows=100 all=114,114 modes=i,o \
names=from_json,value
3969|json_array_elements_text|114|25|isrfs-||elements of json array|rows=100 all=114,25 modes=i,o names=from_json,value
3956|json_array_length|114|23|is-fs-||length of json array|
3198|json_build_array|2276|114|s--fs-||build a json array from any inputs|variadic=2276 all=2276 modes=v
3199|json_build_array||114|s--fs-|json_build_array_noargs|build an empty json array|
3200|json_build_object|2276|114|s--fs-||build a json object from pairwise key/value inputs|variadic=2276 all=2276 \
modes=v
3201|json_build_object||114|s--fs-|json_build_object_noargs|build an empty json object|
3958|json_each|114|2249|isrfs-||key value pairs of a json object|rows=100 all=114,25,114 modes=i,o,o \
names=from_json,key,value
3959|json_each_text|114|2249|isrfs-||key value pairs of a json object|rows=100 all=114,25,25 modes=i,o,o \
names=from_json,key,value
3951|json_extract_path|114 1009|114|is-fs-||get value from json with path elements|variadic=25 all=114,1009 modes=i,v \
names=from_json,path_elems
3953|json_extract_path_text|114 1009|25|is-fs-||get value from json as text with path elements|variadic=25 \
all=114,1009 modes=i,v names=from_json,path_elems
3197|json_object_agg|2276 2276|114|s--as-|aggregate_dummy|aggregate input into a json object|
3957|json_object_keys|114|25|isrfs-||get json object keys|rows=100
3968|json_typeof|114|25|is-fs-||get the type of a json value|
3267|jsonb_agg|2283|3802|s--as-|aggregate_dummy|aggregate input into jsonb|
3219|jsonb_array_elements|3802|3802|isrfs-||elements of a jsonb array|rows=100 all=3802,3802 modes=i,o \
names=from_json,value
3465|jsonb_array_elements_text|3802|25|isrfs-||elements of jsonb array|rows=100 all=3802,25 modes=i,o \
names=from_json,value
3207|jsonb_array_length|3802|23|is-fs-||length of jsonb array|
3271|jsonb_build_array|2276|3802|s--fs-||build a jsonb array from any inputs|variadic=2276 all=2276 modes=v
3272|jsonb_build_array||3802|s--fs-|jsonb_build_array_noargs|build an empty jsonb array|
3273|jsonb_build_object|2276|3802|s--fs-||build a jsonb object from pairwise key/value inputs|variadic=2276 all=2276 \
modes=v
3274|jsonb_build_object||3802|s--fs-|jsonb_build_object_noargs|build an empty jsonb object|
3208|jsonb_each|3802|2249|isrfs-||key value pairs of a jsonb object|rows=100 all=3802,25,3802 modes=i,o,o \
names=from_json,key,value
3932|jsonb_each_text|3802|2249|isrfs-||key value pairs of a jsonb object|rows=100 all=3802,25,25 modes=i,o,o \
names=from_json,key,value
3217|jsonb_extract_path|3802 1009|3802|is-fs-||get value from jsonb with path elements|variadic=25 all=3802,1009 \
modes=i,v names=from_json,path_elems
3940|jsonb_extract_path_text|3802 1009|25|is-fs-||get value from jsonb as text with path elements|variadic=25 \
all=3802,1009 modes=i,v names=from_json,path_elems
3270|jsonb_object_agg|2276 2276|3802|i--as-|aggregate_dummy|aggregate inputs into jsonb object|
3931|jsonb_object_keys|3802|25|isrfs-||get jsonb object keys|rows=100
3210|jsonb_typeof|3802|25|is-fs-||get the type of a jsonb value|
3155|row_to_json|2249|114|ss-fs-||map row to json|
3176|to_json|2283|114|ss-fs-||map input to json|
3787|to_jsonb|2283|3802|ss-fs-||map input to jsonb|
"""
