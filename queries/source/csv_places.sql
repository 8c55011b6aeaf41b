-- Every value of one column of a CSV file with the number of its record, in the order of the file, from 1 on. The reader
-- keeps to that order where it reads on one thread.
SELECT value, file, row_number() OVER () AS position
FROM records
