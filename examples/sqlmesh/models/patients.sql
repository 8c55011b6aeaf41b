MODEL (
  name hospital.patients,
  kind FULL,
  description 'The raw patients.'
);

SELECT * FROM READ_PARQUET('patients.parquet')
