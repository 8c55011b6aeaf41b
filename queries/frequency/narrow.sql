-- Keeps positions in a narrow type.
ALTER TABLE domain ALTER COLUMN position SET DATA TYPE BIGINT
