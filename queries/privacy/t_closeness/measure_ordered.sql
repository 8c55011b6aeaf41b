-- Answers: how far the values of each class are from those of all rows, in their order: the sum over all values of how
-- much the shares up to there differ, divided by one less than the values.
-- Reads: counted (the classes' quasi-identifiers), shares (the classes' quasi-identifiers, value,
-- share, expected: that of all rows), ranks (value, rank), ranked (rank, share of all rows).
-- Takes: $t, the most.
-- Gives: each class with its measure, and whether that violates the threshold.
SELECT qi_value, measure, measure > $t + 1e-9 AS violates
FROM (
    SELECT qi_value, coalesce(sum(abs(up_to_here)) / nullif(count(*) - 1, 0), 0) AS measure
    FROM (
        SELECT
            qi_value,
            sum(difference) OVER (PARTITION BY LIST_OF(qi_value) ORDER BY rank ROWS UNBOUNDED PRECEDING) AS up_to_here
        FROM (
            SELECT qi_value, rank, sum(share) - any_value(expected) AS difference
            FROM (
                SELECT classes.qi_value, ranked.rank, 0 AS share, ranked.share AS expected
                FROM (SELECT DISTINCT qi_value FROM counted) AS classes
                CROSS JOIN ranked
                UNION ALL
                SELECT shares.qi_value, ranked.rank, shares.share, ranked.share AS expected
                FROM shares
                JOIN ranks ON ranks.value IS NOT DISTINCT FROM CAST(shares.value AS VARCHAR)
                JOIN ranked ON ranked.rank = ranks.rank
            ) AS both_sides
            GROUP BY qi_value, rank
        ) AS differences
    ) AS cumulated
    GROUP BY qi_value
) AS measured
