{{ config(materialized='table') }}
select id from {{ ref('eph_big') }}
