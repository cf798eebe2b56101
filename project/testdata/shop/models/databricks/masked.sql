{{ config(materialized='table', tblproperties={'a': 'b'}, liquid_clustered_by=['id'], databricks_compute='big') }}
select 1 as id, 'x' as name
