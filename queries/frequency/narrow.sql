-- Answers: keeps positions in a narrow type.
-- Reads: domain, the distinct values of a column.
-- Takes: nothing.
-- Gives: the table domain with the column changed.
ALTER TABLE domain ALTER COLUMN position SET DATA TYPE BIGINT
