-- Answers: how many empty texts each of some columns of written files holds.
-- Reads: written, the rows of the files.
-- Takes: text_key, the columns.
-- Gives: one row, text_key, a count for each column.
SELECT count_if(written.text_key = '') AS text_key
FROM written
