-- Answers: which values stand in a part of a file, read as bytes, or stood in a part before.
-- Reads: before_values, the values (value, is_hit); read_blob(), the part.
-- Takes: $file, the part.
-- Gives: the table before_values, again.
CREATE OR REPLACE TEMP TABLE before_values AS
WITH contents AS MATERIALIZED (
    SELECT CAST(content AS VARCHAR) AS bytes FROM read_blob($file)
)

SELECT
    value,
    is_hit OR EXISTS (
        SELECT 1 FROM contents WHERE contains(contents.bytes, CAST(encode(before_values.value) AS VARCHAR))
    ) AS is_hit
FROM before_values
