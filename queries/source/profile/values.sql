-- Answers: the distinct values of columns as texts with their rows, in one pass over the source. NULL is left out.
-- Reads: source, the rows of the source (what item_value reads).
-- Takes: item_value, of each column what is kept of it: all values, or NULL for those that are not drawn; item_key, its
-- name; item_position, its number; item_text, the value as text.
-- Gives: more rows of profile_values (position, value, row_count).
INSERT INTO kanon.profile_values
SELECT position, value, row_count
FROM (
    SELECT
        SUM_OF(item_position * (1 - GROUPING(item_key))) AS position,
        coalesce(NULL, LIST_OF(item_text)) AS value,
        CAST(count(*) AS BIGINT) AS row_count
    FROM (SELECT item_value FROM source) AS kept
    GROUP BY GROUPING SETS ((item_key))
) AS grouped
WHERE value IS NOT NULL
