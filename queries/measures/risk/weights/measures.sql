-- Answers: what the expected 1/F of the rows come to, and how many rows that are alone are so in the population as
-- well: the chance of it is p, that of F = 1 where f = 1.
-- Reads: risk_class_risks, the classes by size and chance (size, chance, class_count, risk).
-- Takes: $threshold, the risk that is looked at.
-- Gives: row_total, highest, found_again, rows_above, alone, alone_in_population.
SELECT
    CAST(sum(size * class_count) AS BIGINT) AS row_total,
    max(risk) AS highest,
    sum(CAST(size AS DOUBLE) * class_count * risk) AS found_again,
    CAST(sum(CASE WHEN risk > $threshold THEN size * class_count ELSE 0 END) AS BIGINT) AS rows_above,
    CAST(sum(CASE WHEN size = 1 THEN class_count ELSE 0 END) AS BIGINT) AS alone,
    sum(CASE WHEN size = 1 THEN class_count * chance ELSE 0 END) AS alone_in_population
FROM kanon.risk_class_risks
