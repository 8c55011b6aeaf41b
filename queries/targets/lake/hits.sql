-- Answers: which values stand somewhere in files, read as bytes.
-- Reads: lake_values, the values; read_blob(), the files.
-- Takes: $files, the files.
-- Gives: the table hits (value).
CREATE OR REPLACE TEMP TABLE hits AS
WITH contents AS MATERIALIZED (
    SELECT CAST(content AS VARCHAR) AS bytes FROM read_blob($files)
)

SELECT value
FROM lake_values
WHERE EXISTS (SELECT 1 FROM contents WHERE contains(contents.bytes, CAST(encode(lake_values.value) AS VARCHAR)))
