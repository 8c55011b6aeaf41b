-- Answers: one subset of the columns: its distinct combinations, the rows that are alone with theirs, and twice the
-- pairs of rows that it does not tell apart.
-- Reads: coded, the tuples by numbers for their values (item_code, row_count).
-- Takes: item_code, of each column its number.
-- Gives: combinations, alone, alike.
SELECT
    count(*) AS combinations,
    CAST(sum(CASE WHEN size = 1 THEN 1 ELSE 0 END) AS BIGINT) AS alone,
    CAST(sum(CAST(size AS HUGEINT) * (size - 1)) AS HUGEINT) AS alike
FROM (
    SELECT CAST(sum(row_count) AS BIGINT) AS size
    FROM coded
    GROUP BY item_code
) AS combos
