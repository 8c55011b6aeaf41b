-- Answers: what anybody can tell apart who has the new release and an earlier one, class by class: all that is new
-- (side 0, release 0), and against each earlier release what both hold (1), what was added (2) and what was removed
-- (3). Against a release that has no row of a class in common with it there is nothing to tell apart: what was removed
-- is then a class as it was released, and what was added the class as it is.
-- Reads: tried, what would be released (class, sensitive_code, quota); counts, how often each row text is in each
-- release (class, release); open_classes, the classes that are not decided (class).
-- Takes: sensitive_code, of each sensitive column its code.
-- Gives: the table sets (class, release, side, sensitive_code, row_count).
CREATE OR REPLACE TEMP TABLE sets AS
SELECT class, CAST(0 AS BIGINT) AS release, 0 AS side, sensitive_code, quota AS row_count
FROM tried
UNION ALL
SELECT *
FROM (
    SELECT
        class,
        release,
        unnest([1, 2, 3]) AS side,
        sensitive_code,
        unnest([in_both, fresh - in_both, past - in_both]) AS row_count
    FROM (
        SELECT *, sum(in_both) OVER (PARTITION BY class, release) AS class_in_both
        FROM (
            SELECT
                class,
                release,
                cell,
                any_value(sensitive_code) AS sensitive_code,
                CAST(sum(fresh) AS BIGINT) AS fresh,
                CAST(sum(past) AS BIGINT) AS past,
                CAST(least(sum(fresh), sum(past)) AS BIGINT) AS in_both
            FROM (
                SELECT tried.class, earlier.release, cell, sensitive_code, quota AS fresh, 0 AS past
                FROM tried
                CROSS JOIN (SELECT DISTINCT release FROM counts WHERE release > 0) AS earlier
                UNION ALL
                SELECT counts.class, release, cell, sensitive_code, 0 AS fresh, row_count AS past
                FROM counts
                JOIN open_classes ON open_classes.class = counts.class
                WHERE release > 0
            ) AS both_sides
            GROUP BY class, release, cell
        ) AS compared
    ) AS told_apart
    WHERE class_in_both > 0
) AS each_side
WHERE row_count > 0
