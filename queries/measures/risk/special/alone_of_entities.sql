-- Answers: the combinations of one subset of the columns that one entity holds alone, and in no smaller subset of it.
-- Reads: special, the classes of all columns (low, high, item_code, word_mask).
-- Takes: item_code, of each column of the subset its number; word_bits, of each word the bits of the smaller subsets
-- in it; word_mask, the word.
-- Gives: the table risk_special_alone (item_code).
CREATE OR REPLACE TEMP TABLE kanon.risk_special_alone AS
SELECT item_code
FROM special
WHERE (word_mask & word_bits) = 0
GROUP BY item_code
HAVING min(low) = max(high)
