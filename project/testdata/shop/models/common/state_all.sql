{{ config(materialized='table') }}
select id from {{ ref('eph_big') }} where {{ twice(1) }} = 2
