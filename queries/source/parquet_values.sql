-- Answers: a number of all values of each column of a Parquet file; fails where one of them cannot be read.
-- Reads: the file.
-- Takes: $path, the file, with what reads as a glob in it escaped.
-- Gives: a column for each of the file.
SELECT bit_xor(hash(COLUMNS(*)))
FROM read_parquet($path)
