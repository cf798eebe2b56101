{% macro twice(x) %}{{ x }} * {{ two() }}{% endmacro %}
{% macro two() %}2{% endmacro %}
{% macro get_incremental_upsert_twice_sql(arg_dict) %}{{ return(get_incremental_append_sql(arg_dict)) }}{% endmacro %}
{% macro snapshot_hashed_strategy(node, snapshotted_rel, current_rel, model, target_exists) %}{{ return({}) }}{% endmacro %}
{% macro log(message) %}{{ return('') }}{% endmacro %}
{% materialization shout, default %}{{ return({'relations': []}) }}{% endmaterialization %}
