-- Answers: rows that are alone with their value in one column.
-- Reads: source, the rows of the source (out_key).
-- Takes: nothing.
-- Gives: alone.
SELECT count(*) AS alone
FROM (
    SELECT source.out_key
    FROM source
    GROUP BY source.out_key
    HAVING count(*) = 1
) AS single
