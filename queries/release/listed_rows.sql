-- Answers: the rows that take part, text columns that hold few values as ENUM types.
-- Reads: source, the rows that take part (out_key, text_key); text_listed, of each such column its values (value,
-- label).
-- Takes: out_key, all other columns; text_key, the columns that hold few values.
-- Gives: out_key, text_key.
SELECT
    source.out_key,
    text_listed.label AS text_key
FROM source
LEFT JOIN text_listed ON text_listed.value = source.text_key
