// The functions that a tenant's statement can call, and the words before a parenthesis that are not calls. In: nothing.
// Out: three sets. They never contain a function that reads files, settings, other sessions or sequences by name, sends
// anything, sleeps, or runs SQL from an argument.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const allowedFunctions: ReadonlySet<string> = words(`
  count sum avg min max bool_and bool_or every array_agg string_agg json_agg jsonb_agg json_object_agg jsonb_object_agg
  stddev variance stddev_samp stddev_pop var_samp var_pop percentile_cont percentile_disc mode any_value
  json_build_object jsonb_build_object json_build_array jsonb_build_array to_json to_jsonb row_to_json array_to_json
  json_strip_nulls jsonb_strip_nulls jsonb_set jsonb_set_lax jsonb_insert jsonb_typeof json_typeof jsonb_array_length
  json_array_length jsonb_array_elements jsonb_array_elements_text json_array_elements json_array_elements_text
  jsonb_each jsonb_each_text json_each json_each_text jsonb_object_keys json_object_keys jsonb_extract_path
  jsonb_extract_path_text json_extract_path json_extract_path_text jsonb_to_record jsonb_to_recordset json_to_record
  json_to_recordset jsonb_populate_record jsonb_populate_recordset json_populate_record json_populate_recordset
  jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_pretty
  json_object json_array json_scalar json_value json_query json_exists json_objectagg json_arrayagg
  coalesce nullif greatest least num_nulls num_nonnulls
  lower upper initcap trim btrim ltrim rtrim length char_length character_length octet_length bit_length substring substr
  strpos position overlay left right lpad rpad replace translate reverse repeat split_part concat concat_ws format
  starts_with regexp_replace regexp_match regexp_matches regexp_like regexp_count regexp_substr regexp_split_to_array
  string_to_array array_to_string string_to_table ascii chr normalize quote_literal
  md5 sha224 sha256 sha384 sha512 encode decode convert_to convert_from to_hex hashtext hashtextextended
  now clock_timestamp statement_timestamp transaction_timestamp date_trunc date_part date_bin extract age
  to_char to_date to_timestamp to_number make_date make_time make_timestamp make_timestamptz make_interval timezone
  justify_days justify_hours justify_interval isfinite
  gen_random_uuid uuidv4 uuidv7 uuid_extract_timestamp uuid_extract_version
  abs round ceil ceiling floor trunc mod div power sqrt cbrt exp ln log sign random width_bucket scale min_scale
  trim_scale degrees radians pi gcd lcm
  unnest generate_series generate_subscripts array_length array_upper array_lower cardinality array_position
  array_positions array_append array_prepend array_remove array_replace array_cat array_ndims trim_array
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
  to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_rank ts_rank_cd ts_headline setweight
  similarity word_similarity strict_word_similarity unaccent
  lower_inc upper_inc isempty range_merge int4range int8range numrange tsrange tstzrange daterange
  point int4 int8 float8 text varchar bpchar numeric bool date timestamp timestamptz time timetz interval uuid
  pg_current_xact_id
`);

export const keywordsBeforeParenthesis: ReadonlySet<string> = words(`
  all and any array as between by case cast check collate conflict cross cube default distinct do else end escape except
  exists filter for from full group grouping groups having if ilike in inner intersect is isnull join key lateral left
  like limit materialized natural not notnull of offset on or order outer over overriding partition precision range
  recursive returning right rollup row rows select set sets similar some then to union using value values when where
  window with within zone operator nothing update symmetric asymmetric only
`);

/** Casts that look up names in the catalogues, and statements without a plan. */
export const refusedWords: ReadonlySet<string> = words(`
  regclass regproc regprocedure regoper regoperator regrole regnamespace regcollation
  information_schema
`);
