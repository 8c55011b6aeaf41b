-- Answers: the distinct values of one column as texts, of rows that stand for several. NULL is left out.
-- Reads: source, the rows (item_key, row_count).
-- Takes: item_key, the column; item_position, its number; item_text, its value as text.
-- Gives: more rows of profile_values (position, value, row_count).
INSERT INTO kanon.profile_values
SELECT item_position AS position, item_text AS value, CAST(sum(source.row_count) AS BIGINT) AS row_count
FROM source
WHERE source.item_key IS NOT NULL
GROUP BY item_text
