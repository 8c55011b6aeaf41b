-- Answers: how even the values of a sensitive column can be when rows are suppressed: those of the most frequent
-- values, until these are equally frequent.
-- Reads: reference (value, row_count of all rows).
-- Takes: $limit, the rows that may be suppressed at most; $least, the first value that counts (0 is the missing one);
-- $l.
-- Gives: the number of values, the rows left, their level (how frequent the most frequent are then; NULL where no row
-- need be left), the entropy at that level, and the rows of the values from the $l-th most frequent on, before
-- suppression.
WITH ranked AS (
    SELECT
        row_count,
        row_number() OVER most AS place,
        sum(row_count) OVER most AS up_to,
        lead(row_count, 1, 0) OVER most AS next_count
    FROM reference
    WHERE value >= $least AND row_count > 0
    WINDOW most AS (ORDER BY row_count DESC, value)
),

leveled AS (
    SELECT min(CASE WHEN up_to - place * next_count >= $limit AND up_to > $limit THEN place END) AS places
    FROM ranked
),

evened AS (
    SELECT max(CASE WHEN ranked.place = leveled.places THEN CAST(ranked.up_to - $limit AS DOUBLE) / ranked.place END) AS level
    FROM ranked, leveled
)

SELECT
    count(*) AS value_count,
    sum(ranked.row_count) - $limit AS left_rows,
    max(evened.level) AS level,
    CASE
        WHEN max(evened.level) IS NOT NULL
            THEN ln(sum(ranked.row_count) - $limit)
                - sum(least(ranked.row_count, evened.level) * ln(least(ranked.row_count, evened.level)))
                / (sum(ranked.row_count) - $limit)
    END AS entropy,
    coalesce(sum(CASE WHEN ranked.place >= $l THEN ranked.row_count END), 0) AS tail
FROM ranked, evened
