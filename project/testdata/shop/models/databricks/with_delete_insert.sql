{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='id') }}
select id from {{ ref('orders') }}
