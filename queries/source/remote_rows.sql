-- Answers: all rows of a Parquet file, to be written elsewhere anew.
-- Reads: file_as_rows, the file.
-- Takes: nothing.
-- Gives: the rows.
SELECT *
FROM file_as_rows
