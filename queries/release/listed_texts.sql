-- Answers: the values of a text column that holds few, each as a text and as a value of the ENUM type that lists them.
-- Reads: source, the rows that take part (out_key).
-- Takes: listed_label, the value as that type; out_key, the column.
-- Gives: the table listed_texts (value, label).
CREATE OR REPLACE TEMP TABLE listed_texts AS
SELECT
    present.value,
    listed_label AS label
FROM (SELECT DISTINCT source.out_key AS value FROM source) AS present
WHERE present.value IS NOT NULL
