-- Answers: the expected 1/F of a row in a class of f rows that stand for F persons by estimate, where F has the
-- negative binomial distribution of f successes with the chance p = f / estimated persons, at most 1. With q = 1 - p
-- that is p/f * (1 + q/(f + 1) + 2 q^2/((f + 1)(f + 2)) + ...), of which few terms matter where the class is large or p
-- is; else the sum that comes of risk(1) = -p/q * ln(p) and risk(f + 1) = p/q * (1/f - risk(f)), which loses nothing
-- for p < q.
-- Reads: risk_weighted_classes, how many classes have each size and persons (size, persons, class_count).
-- Takes: $few, the size of the largest class of the second kind; $terms, those of the series.
-- Gives: the table risk_class_risks (size, chance, class_count, risk).
CREATE OR REPLACE TEMP TABLE kanon.risk_class_risks AS
WITH chances AS (
    SELECT
        size,
        least(CAST(1 AS DOUBLE), size / persons) AS chance,
        CAST(sum(class_count) AS BIGINT) AS class_count
    FROM kanon.risk_weighted_classes
    GROUP BY size, least(CAST(1 AS DOUBLE), size / persons)
),

numbers AS (
    SELECT CAST(range AS DOUBLE) AS number FROM range(0, $terms)
)

SELECT
    size,
    chance,
    class_count,
    chance / size * sum(
        exp(lgamma(number + 1) + lgamma(CAST(size AS DOUBLE) + 1) - lgamma(size + number + 1))
        * power(1 - chance, number)
    ) AS risk
FROM chances
CROSS JOIN numbers
WHERE size > $few OR chance >= 0.5
GROUP BY size, chance, class_count
UNION ALL
SELECT
    size,
    chance,
    class_count,
    sum(
        -power(-chance / (1 - chance), number)
        * CASE WHEN number < size THEN 1 / (size - number) ELSE -ln(chance) END
    ) AS risk
FROM chances
JOIN numbers ON numbers.number BETWEEN 1 AND chances.size
WHERE size <= $few AND chance < 0.5
GROUP BY size, chance, class_count
