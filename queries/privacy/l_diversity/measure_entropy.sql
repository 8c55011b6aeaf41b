-- Answers: as how many equally frequent values have the entropy of each class's; missing ones count for nothing.
-- Reads: counted (the classes' quasi-identifiers, value, row_count).
-- Takes: $l, the fewest.
-- Gives: each class with its measure, and whether that violates the threshold.
SELECT qi_value, measure, measure < $l * (1 - 1e-9) AS violates
FROM (
    SELECT qi_value, coalesce(exp(-sum(CASE WHEN value IS NOT NULL THEN share * ln(share) END)), 0) AS measure
    FROM (
        SELECT
            qi_value,
            value,
            row_count / sum(CASE WHEN value IS NOT NULL THEN row_count END) OVER (PARTITION BY LIST_OF(qi_value)) AS share
        FROM counted
    ) AS shares
    GROUP BY qi_value
) AS measured
