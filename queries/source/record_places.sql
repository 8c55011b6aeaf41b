-- Answers: every value of one column of a file with the number of its record, in the order of the file, from 1 on.
-- The readers keep to that order: that of CSV where it reads on one thread.
-- Reads: records, the records of the file with the value of a column (value, file).
-- Takes: nothing.
-- Gives: value, file, position.
SELECT value, file, row_number() OVER () AS position
FROM records
