-- Answers: which values stand somewhere in files, read as bytes. Most of a new catalog is empty pages: of 64 zero bytes
--   in a row one is enough, as values have no such row of them.
-- Reads: lake_values, the values; read_blob(), the files.
-- Takes: $files, the files.
-- Gives: the table hits (value).
CREATE OR REPLACE TEMP TABLE hits AS
WITH contents AS MATERIALIZED (
    SELECT replace(CAST(content AS VARCHAR), repeat('\x00', 64), '\x00') AS bytes FROM read_blob($files)
)

SELECT value
FROM lake_values
WHERE EXISTS (SELECT 1 FROM contents WHERE contains(contents.bytes, CAST(encode(lake_values.value) AS VARCHAR)))
