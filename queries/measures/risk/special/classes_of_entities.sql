-- Answers: the classes of all columns that are looked at with the entities that hold them, ready for the search of
-- minimal sample uniques: one entity holds a class alone where the lowest and the highest number are the same. Those
-- of classes stand in no order.
-- Reads: coded, the tuples by numbers for their values (item_code, holder_code, row_count).
-- Takes: holder_code, the number of an entity; item_code, of each column its number; word_mask, each word of the bits
-- of minimal uniques that were found.
-- Gives: the table special (id, low, high, holders, row_count, item_code, word_mask, score).
CREATE OR REPLACE TEMP TABLE special AS
SELECT
    row_number() OVER () AS id,
    low,
    high,
    holders,
    row_count,
    item_code,
    CAST(0 AS BIGINT) AS word_mask,
    CAST(0 AS DOUBLE) AS score
FROM (
    SELECT
        item_code,
        min(holder_code) AS low,
        max(holder_code) AS high,
        count(DISTINCT holder_code) AS holders,
        CAST(sum(row_count) AS BIGINT) AS row_count
    FROM coded
    GROUP BY item_code
) AS held
