{{ config(materialized='incremental', incremental_strategy='insert_overwrite', unique_key='id') }}
select id from {{ ref('orders') }}
