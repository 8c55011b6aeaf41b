-- Answers: what worlds tell of the sensitive values of persons beyond what their released class shows.
-- Reads: persons, the rows with their classes (class, cell, is_released, value_code); told, how often each combination
-- of quasi-identifiers has each value in all worlds together (cell, value, row_count).
-- Takes: value_code, the column of the sensitive codes in persons; $worlds, how many worlds there are; $bound, a share
-- of a value, NULL for none.
-- Gives: gain, by how much the share of a value among the rows of a combination is greater than in their class at most;
-- above_released, the rows of released classes in which a value has more than the bound; above_told, the rows of
-- combinations in which one does in these worlds.
WITH class_sizes AS (
    SELECT class, count(*) AS size
    FROM persons
    WHERE is_released
    GROUP BY class
),

class_shares AS (
    SELECT counted.class, counted.value, counted.row_count / class_sizes.size AS share, class_sizes.size
    FROM (
        SELECT class, value_code AS value, count(*) AS row_count
        FROM persons
        WHERE is_released
        GROUP BY class, value_code
    ) AS counted
    JOIN class_sizes ON class_sizes.class = counted.class
),

cells AS (
    SELECT class, cell, count(*) AS size
    FROM persons
    WHERE is_released
    GROUP BY class, cell
),

shares AS (
    SELECT
        cells.cell,
        cells.size,
        told.row_count / (cells.size * $worlds) AS share,
        told.row_count / (cells.size * $worlds) - class_shares.share AS gain
    FROM cells
    JOIN told ON told.cell = cells.cell
    JOIN class_shares ON class_shares.class = cells.class AND class_shares.value = told.value
)

SELECT
    (SELECT max(gain) FROM shares) AS gain,
    (
        SELECT CAST(coalesce(sum(size), 0) AS BIGINT)
        FROM (SELECT class, any_value(size) AS size FROM class_shares WHERE share > $bound GROUP BY class) AS classes_above
    ) AS above_released,
    (
        SELECT CAST(coalesce(sum(size), 0) AS BIGINT)
        FROM (SELECT cell, any_value(size) AS size FROM shares WHERE share > $bound GROUP BY cell) AS cells_above
    ) AS above_told
