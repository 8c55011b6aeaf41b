-- Answers: what is known of one column of rows that stand for several: rows, rows with a value, distinct values, the
-- longest text, the ends.
-- Reads: source, the rows (item_key, row_count).
-- Takes: item_key, the column; item_length, how long its values are as texts.
-- Gives: total, given, distinct_values, longest, lowest, highest.
SELECT
    CAST(coalesce(sum(source.row_count), 0) AS BIGINT) AS total,
    CAST(coalesce(sum(source.row_count) FILTER (WHERE source.item_key IS NOT NULL), 0) AS BIGINT) AS given,
    count(DISTINCT source.item_key) AS distinct_values,
    max(item_length) AS longest,
    min(source.item_key) AS lowest,
    max(source.item_key) AS highest
FROM source
