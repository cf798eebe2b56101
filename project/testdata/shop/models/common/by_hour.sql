{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='day', batch_size='hour', begin='2026-01-01') }}
select id, day from {{ ref('stg_orders') }}
