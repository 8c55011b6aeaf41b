-- Answers: the rows that are alone with their values in one subset of the columns, and in no smaller subset of it.
-- Those of a smaller one are left out before the rest is grouped, which changes no other group, since each makes one of
-- its own.
-- Reads: special, the classes of all columns (low, high, item_code, word_mask).
-- Takes: item_code, of each column of the subset its number; word_bits, of each word the bits of the smaller subsets
-- in it; word_mask, the word; $subset, the number of the subset.
-- Gives: further rows of the table risk_special_found (id, subset).
INSERT INTO kanon.risk_special_found
SELECT
    min(low) AS id,
    $subset AS subset
FROM special
WHERE (word_mask & word_bits) = 0
GROUP BY item_code
HAVING min(low) = max(high)
