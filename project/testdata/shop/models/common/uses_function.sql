{{ config(materialized='table') }}
select {{ function('plus_one') }}(id) as id from {{ ref('orders') }}
