-- Answers: what one class shows of quasi-identifiers that are aggregated.
-- Reads: class_values (see class_values).
-- Takes: key_code and key_number, the codes that tell classes apart and those of the class; value_name, the columns.
-- Gives: one row: value_name.
SELECT value_name
FROM kanon.class_values
WHERE key_code = key_number
