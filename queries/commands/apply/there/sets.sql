-- Answers: where another engine holds the rows, what would be released of the classes, of each row as many as the new
-- data and the release held_release both hold, and what anybody can tell apart who has that and an earlier release (see
-- commands/apply/attempt.sql and sets.sql), by the sensitive values of each class.
-- Reads: counts, how often each row is in each release (release, class_key, row_key, sensitive_code, row_count).
-- Takes: sensitive_code, of each sensitive column its name; held_release, the number of the release that it is held
-- against.
-- Gives: release, class_key, sensitive_code, side, row_count.
WITH tried AS (
    SELECT
        counts.class_key,
        counts.row_key,
        counts.sensitive_code,
        least(counts.row_count, held.row_count) AS quota
    FROM counts
    JOIN (
        SELECT row_key, row_count
        FROM counts
        WHERE release = held_release
    ) AS held ON held.row_key = counts.row_key
    WHERE counts.release = 0
),

both_sides AS (
    SELECT earlier.release, class_key, row_key, sensitive_code, quota AS fresh, CAST(0 AS BIGINT) AS past
    FROM tried
    CROSS JOIN (
        SELECT release
        FROM counts
        WHERE release > 0
        GROUP BY release
    ) AS earlier
    UNION ALL
    SELECT release, class_key, row_key, sensitive_code, CAST(0 AS BIGINT) AS fresh, row_count AS past
    FROM counts
    WHERE release > 0
),

compared AS (
    SELECT
        release,
        class_key,
        sensitive_code,
        CAST(sum(fresh) AS BIGINT) AS fresh,
        CAST(sum(past) AS BIGINT) AS past
    FROM both_sides
    GROUP BY release, class_key, row_key, sensitive_code
),

told_apart AS (
    SELECT
        release,
        class_key,
        sensitive_code,
        fresh,
        past,
        least(fresh, past) AS in_both,
        sum(least(fresh, past)) OVER (PARTITION BY release, class_key) AS class_in_both
    FROM compared
),

each_side AS (
    SELECT CAST(0 AS BIGINT) AS release, class_key, sensitive_code, CAST(0 AS BIGINT) AS side, quota AS row_count
    FROM tried
    UNION ALL
    SELECT release, class_key, sensitive_code, CAST(1 AS BIGINT) AS side, in_both AS row_count
    FROM told_apart
    WHERE class_in_both > 0
    UNION ALL
    SELECT release, class_key, sensitive_code, CAST(2 AS BIGINT) AS side, fresh - in_both AS row_count
    FROM told_apart
    WHERE class_in_both > 0
    UNION ALL
    SELECT release, class_key, sensitive_code, CAST(3 AS BIGINT) AS side, past - in_both AS row_count
    FROM told_apart
    WHERE class_in_both > 0
)

SELECT release, class_key, sensitive_code, side, CAST(sum(row_count) AS BIGINT) AS row_count
FROM each_side
WHERE row_count > 0
GROUP BY release, class_key, sensitive_code, side
