-- Answers: the distinct values of columns of few rows as texts, with the rows of each. NULL is left out.
-- Reads: source, the rows (what item_text and row_weight read).
-- Takes: item_text, each column as text; column_count, how many there are; longest, the bytes of a text that are kept:
-- of longer ones the beginning and a digest; row_weight, how many rows a row stands for.
-- Gives: the table profile_values (position, value, row_count).
CREATE OR REPLACE TEMP TABLE kanon.profile_values AS
SELECT
    position,
    CASE WHEN strlen(value) > longest THEN concat(left(value, longest), md5(value)) ELSE value END AS value,
    CAST(sum(weight) AS BIGINT) AS row_count
FROM (
    SELECT row_weight AS weight, unnest(range(column_count)) AS position, unnest([LIST_OF(item_text)]) AS value
    FROM source
) AS listed
WHERE value IS NOT NULL
GROUP BY position, value
