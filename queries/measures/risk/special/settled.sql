-- Answers: the classes after minimal uniques of one size were found: those of each class are kept as bits of words, and
-- add their weight to its score.
-- Reads: special, the classes of all columns (id, low, high, holders, row_count, item_code, word_mask, score);
-- risk_special_found, minimal uniques of one size (id, subset).
-- Takes: item_code, of each column its number; word_mask, each word; word_number, which it is; $bits, the bits of a
-- word; $weight, what a minimal unique of this size weighs.
-- Gives: the table settled (id, low, high, holders, row_count, item_code, word_mask, score).
CREATE OR REPLACE TEMP TABLE settled AS
SELECT
    special.id,
    special.low,
    special.high,
    special.holders,
    special.row_count,
    special.item_code,
    special.word_mask | coalesce(added.word_mask, 0) AS word_mask,
    special.score + coalesce(added.uniques, 0) * $weight AS score
FROM special
LEFT JOIN (
    SELECT
        id,
        count(*) AS uniques,
        bit_or(
            CASE
                WHEN subset // $bits = word_number THEN CAST(1 AS BIGINT) << CAST(subset % $bits AS INTEGER)
                ELSE 0
            END
        ) AS word_mask
    FROM kanon.risk_special_found
    GROUP BY id
) AS added ON added.id = special.id
