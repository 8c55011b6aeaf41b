-- Answers: the classes of all columns that are looked at, ready for the search of minimal sample uniques. A class that
-- one row makes has this row as the lowest and the highest of its holders; of any other these two differ, from each
-- other and from those of all other classes. The numbers stand in no order.
-- Reads: coded, the tuples by numbers for their values (item_code, row_count).
-- Takes: item_code, of each column its number; word_mask, each word of the bits of minimal uniques that were found.
-- Gives: the table special (id, low, high, holders, row_count, item_code, word_mask, score).
CREATE OR REPLACE TEMP TABLE special AS
SELECT
    id,
    CASE WHEN row_count = 1 THEN id ELSE -id END AS low,
    id AS high,
    row_count AS holders,
    row_count,
    item_code,
    CAST(0 AS BIGINT) AS word_mask,
    CAST(0 AS DOUBLE) AS score
FROM (
    SELECT
        row_number() OVER () AS id,
        item_code,
        row_count
    FROM coded
) AS numbered
