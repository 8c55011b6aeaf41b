-- Whether every record of a CSV file is one line, its header too: how many lines and how many records there are.
SELECT
    (SELECT CAST(count(*) AS BIGINT) FROM file_lines) AS line_count,
    (SELECT CAST(count(*) AS BIGINT) FROM file_records) AS record_count
