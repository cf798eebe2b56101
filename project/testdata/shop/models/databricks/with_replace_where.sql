{{ config(materialized='incremental', incremental_strategy='replace_where', unique_key='id') }}
select id from {{ ref('orders') }}
