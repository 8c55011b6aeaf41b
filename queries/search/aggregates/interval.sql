-- Answers: the least and the greatest value of each class.
-- Reads: held, the values of each class (part, place, label).
-- Takes: $between, what stands between the ends.
-- Gives: part, number, said.
SELECT
    part,
    CAST(NULL AS DOUBLE) AS number,
    min(CASE WHEN place = lowest THEN label END) || $between || min(CASE WHEN place = highest THEN label END) AS said
FROM (
    SELECT
        part,
        place,
        label,
        min(place) OVER (PARTITION BY part) AS lowest,
        max(place) OVER (PARTITION BY part) AS highest
    FROM held
) AS marked
WHERE place = lowest OR place = highest
GROUP BY part
