-- Answers: what one pass tells of every column: rows, rows with a value, about how many distinct values; of texts the
-- most bytes; of numbers and dates the ends.
-- Reads: source, the rows of the source (item_key, text_key, ranged_key).
-- Takes: item_key, every column; text_key, columns of texts; ranged_key, columns of numbers and dates.
-- Gives: row_count, and of each list in turn one column for each measure.
SELECT
    CAST(count(*) AS BIGINT) AS row_count,
    count(source.item_key) AS item_given,
    approx_count_distinct(source.item_key) AS item_distinct,
    max(strlen(source.text_key)) AS text_longest,
    min(source.ranged_key) AS ranged_lowest,
    max(source.ranged_key) AS ranged_highest
FROM source
