-- Basic beta-likeness: by how much, relatively, the share of a value in a class exceeds its share of all rows.
SELECT qi_value, measure, measure > $beta * (1 + 1e-9) AS violates
FROM (
    SELECT qi_value, max(coalesce((share - expected) / expected, CAST('Infinity' AS DOUBLE))) AS measure
    FROM shares
    GROUP BY qi_value
) AS measured
