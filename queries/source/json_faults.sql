-- Answers: the first line of a file of JSON lines that is no JSON, counted from 1, in the order of the file, to which
-- the reader keeps on one thread.
-- Reads: file_lines, the lines of the file (line).
-- Takes: nothing.
-- Gives: first_line, NULL where each line is JSON.
SELECT min(position) AS first_line
FROM (SELECT line, row_number() OVER () AS position FROM file_lines) AS numbered
WHERE NOT json_valid(line)
