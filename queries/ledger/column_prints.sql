-- Answers: what tells of each column whether another table holds the same values, each as often: a sum of digests that
-- a key is mixed into, and how many bits it says by holding them, 64 at most. Where n rows draw values as often as is
-- done here, a table has exactly these counts by chance once in 2 to the power of that. Where all values are equally
-- often a plan may have said so: a value is a bit then, and none where they are evenly spaced numbers or moments, such
-- as the numbers of rows or the days of a year.
-- Reads: ledger_scan, what a scan of the table told (position, row_count, held, total, is_planned).
-- Takes: $key, which is mixed into the digests.
-- Gives: position, total, bits.
WITH entries AS (
    SELECT
        position,
        entry.key AS text,
        entry.value AS held,
        TRY_CAST(entry.key AS DOUBLE) AS number,
        TRY_CAST(entry.key AS TIMESTAMP) AS moment
    FROM (SELECT position, unnest(map_entries(held)) AS entry FROM kanon.ledger_scan) AS unnested
), few AS (
    SELECT
        position,
        sum(CAST(md5_number_lower($key || text) AS HUGEINT) * held) AS total,
        count(*) AS value_count,
        sum(lgamma(held + 1) - held * ln(held) + held) AS nats,
        min(held) = max(held) AS is_balanced,
        count(number) = count(*)
            AND abs(avg(number) - (min(number) + max(number)) / 2) <= 1e-9 * (max(number) - min(number))
            AND abs(
                var_pop(number) * 12 * (count(*) - 1) - power(max(number) - min(number), 2) * (count(*) + 1)
            ) <= 1e-6 * power(max(number) - min(number), 2) * (count(*) + 1) AS is_spaced
    FROM (
        SELECT
            position,
            text,
            held,
            CASE
                WHEN number BETWEEN -1e15 AND 1e15 THEN number
                WHEN isfinite(moment) THEN epoch(moment)
            END AS number
        FROM entries
    ) AS numbered
    GROUP BY position
)
SELECT
    listed.position,
    CAST(coalesce(few.total, listed.total, 0) AS VARCHAR) AS total,
    CAST(floor(CASE
        WHEN few.position IS NULL THEN CASE WHEN listed.is_planned OR listed.total IS NULL THEN 0 ELSE 64 END
        WHEN few.is_balanced AND few.is_spaced THEN 0
        ELSE least(
            64,
            CASE WHEN few.is_balanced THEN few.value_count ELSE 64 END,
            greatest(0, few.nats - (lgamma(row_count + 1) - row_count * ln(row_count) + row_count)) / ln(2) + 1e-9
        )
    END) AS BIGINT) AS bits
FROM kanon.ledger_scan AS listed
LEFT JOIN few ON few.position = listed.position
ORDER BY listed.position
