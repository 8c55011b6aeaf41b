-- Answers: the last line of a text file that is not blank, in the order of the file, to which the reader keeps on one
-- thread.
-- Reads: file_lines, the lines of the file (line).
-- Takes: nothing.
-- Gives: last_line, NULL where each line is blank.
SELECT arg_max(line, position) AS last_line
FROM (SELECT line, row_number() OVER () AS position FROM file_lines) AS numbered
WHERE trim(line) <> ''
