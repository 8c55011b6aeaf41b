-- delta-presence: the share of each class of the population that is in the table.
SELECT
    qi_value,
    CAST(size AS DOUBLE) / persons AS measure,
    size * $least_under < persons * $least_over OR size * $most_under > persons * $most_over AS violates
FROM matched
