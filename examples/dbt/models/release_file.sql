{{ config(materialized='external', location='release.parquet', format='parquet') }}
select * from {{ ref('patients_release') }}
