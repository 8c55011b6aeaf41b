-- Answers: the classes under the combinations of one subset of the columns that one entity holds alone.
-- Reads: risk_special_alone, these combinations (item_code); special, the classes of all columns (id, item_code).
-- Takes: item_code, of each column of the subset its number; $subset, the number of the subset.
-- Gives: further rows of the table risk_special_found (id, subset).
INSERT INTO kanon.risk_special_found
SELECT
    special.id,
    $subset AS subset
FROM special
JOIN kanon.risk_special_alone ON risk_special_alone.item_code = special.item_code
