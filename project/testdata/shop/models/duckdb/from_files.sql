{{ config(materialized='table') }}
select p.id from {{ source('files', 'prices') }} as p join {{ source('files', 'sheet') }} as s using (id)
