-- Answers: the classes of what was written when all the columns that earlier releases published count as
-- quasi-identifiers.
-- Reads: written, the release as it was written (known_key).
-- Takes: known_key, of each column whose value is known its key; held_count, how many rows or persons a class holds;
-- $k, the fewest of them.
-- Gives: classes, row_count.
SELECT
    count(*) AS classes,
    CAST(coalesce(sum(row_count), 0) AS BIGINT) AS row_count
FROM (
    SELECT count(*) AS row_count, held_count AS held
    FROM written
    GROUP BY known_key
) AS counted
WHERE held < $k
