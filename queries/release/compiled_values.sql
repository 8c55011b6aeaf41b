-- Answers: what classes show of columns that are aggregated, as a statement lists it.
-- Reads: class_values (see class_values).
-- Takes: key_code, the codes that tell classes apart; value_name, the columns that are aggregated.
-- Gives: the codes, what the class shows.
SELECT key_code, value_name
FROM kanon.class_values
ORDER BY LIST_OF(key_code), LIST_OF(value_name)
