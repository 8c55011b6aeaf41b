-- Answers: whether every record of a CSV file is one line, its header too: how many lines and how many records there
-- are.
-- Reads: file_lines, the lines of the file; file_records, the records that the reader finds.
-- Takes: nothing.
-- Gives: line_count, record_count.
SELECT
    (SELECT CAST(count(*) AS BIGINT) FROM file_lines) AS line_count,
    (SELECT CAST(count(*) AS BIGINT) FROM file_records) AS record_count
