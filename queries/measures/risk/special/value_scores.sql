-- Answers: how much the minimal uniques of one size add to the scores by each value of one column: for users who asked
-- to be shown values.
-- Reads: risk_special_found, minimal uniques of one size (id, subset); special, the classes of all columns (id, code).
-- Takes: code, the column's numbers; $position, which column it is; $subsets, the subsets that hold it; $weight, what a
-- minimal unique of this size weighs.
-- Gives: further rows of the table risk_special_values (position, code, score).
INSERT INTO kanon.risk_special_values
SELECT
    $position AS position,
    special.code,
    count(*) * $weight AS score
FROM kanon.risk_special_found
JOIN special ON special.id = risk_special_found.id
WHERE list_contains(CAST($subsets AS INTEGER[]), risk_special_found.subset)
GROUP BY special.code
