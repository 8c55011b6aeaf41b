-- Answers: the value that most rows of each class hold, of several the least.
-- Reads: held, the values of each class (part, place, label, row_count).
-- Takes: nothing.
-- Gives: part, number, said.
SELECT part, CAST(NULL AS DOUBLE) AS number, label AS said
FROM (
    SELECT part, label, row_number() OVER (PARTITION BY part ORDER BY row_count DESC, place) AS rank_of_value
    FROM held
) AS ranked
WHERE rank_of_value = 1
