select sex, age, zip, diagnosis from {{ source('raw', 'patients') }}
