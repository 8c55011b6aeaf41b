-- Answers: has a model any row?
-- Reads: model, the relation that dbt made, up to its first row.
-- Takes: nothing.
-- Gives: has_rows.
SELECT EXISTS (SELECT 1 FROM model) AS has_rows
