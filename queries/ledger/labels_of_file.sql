-- Answers: what the values of a column are to a hierarchy file: how many distinct ones are labels and no values of it,
-- how many of these are more than *, and how many are neither. A value that is missing is nothing.
-- Reads: raw_values, the distinct values of a column (value).
-- Takes: $labels, the labels, as JSON; $leaves, the values of the file, as JSON; $missing, the label of missing values.
-- Gives: labels, telling, others.
SELECT
    CAST(count(CASE WHEN known.is_leaf = 0 THEN 1 END) AS BIGINT) AS labels,
    CAST(count(CASE WHEN known.is_leaf = 0 AND present.text <> '*' THEN 1 END) AS BIGINT) AS telling,
    CAST(count(CASE WHEN known.text IS NULL THEN 1 END) AS BIGINT) AS others
FROM (
    SELECT DISTINCT CAST(value AS VARCHAR) AS text
    FROM raw_values
) AS present
LEFT JOIN (
    SELECT text, max(is_leaf) AS is_leaf
    FROM (
        SELECT unnest(CAST(CAST($leaves AS JSON) AS VARCHAR[])) AS text, 1 AS is_leaf
        UNION ALL
        SELECT unnest(CAST(CAST($labels AS JSON) AS VARCHAR[])) AS text, 0 AS is_leaf
    ) AS listed
    GROUP BY text
) AS known ON known.text = present.text
WHERE present.text IS NOT NULL AND NOT list_contains(CAST($missing AS VARCHAR[]), present.text)
