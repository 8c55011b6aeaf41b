-- Answers: the share of each class of the population that is in the table.
-- Reads: matched (the classes' quasi-identifiers, size in the table, persons of the population).
-- Takes: $least_over by $least_under and $most_over by $most_under, the bounds as ratios.
-- Gives: each class with its measure, and whether that violates the threshold.
SELECT
    qi_value,
    CAST(size AS DOUBLE) / persons AS measure,
    size * $least_under < persons * $least_over OR size * $most_under > persons * $most_over AS violates
FROM matched
