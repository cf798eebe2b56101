{{ config(materialized='incremental', incremental_strategy='upsert_twice') }}
select id from {{ ref('orders') }}
