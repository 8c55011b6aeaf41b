-- Answers: how many persons there are, in how many classes, the smallest class, and how many persons are in classes of
-- fewer than k persons, and alone.
-- Reads: table_rows, the rows of the table of persons.
-- Takes: qi_value, of each quasi-identifier its value; $k.
-- Gives: one row (persons, classes, least, below_k, alone).
SELECT
    CAST(coalesce(sum(row_count), 0) AS BIGINT) AS persons,
    count(*) AS classes,
    min(row_count) AS least,
    CAST(coalesce(sum(CASE WHEN row_count < $k THEN row_count END), 0) AS BIGINT) AS below_k,
    CAST(coalesce(sum(CASE WHEN row_count = 1 THEN 1 END), 0) AS BIGINT) AS alone
FROM (
    SELECT count(*) AS row_count
    FROM table_rows
    GROUP BY qi_value
) AS classes
