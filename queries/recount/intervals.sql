-- Answers: how many rows of a release lie more days between two dates than rows of its source do.
-- Reads: written, the rows of the release; source, the rows of its source, at least as many.
-- Takes: written_gap and source_gap, the days between both dates of a row.
-- Gives: other_rows.
SELECT coalesce(sum(released.released_rows - coalesce(known.known_rows, 0)), 0) AS other_rows
FROM (
    SELECT written_gap AS gap, count(*) AS released_rows
    FROM written
    WHERE written_gap IS NOT NULL
    GROUP BY written_gap
) AS released
LEFT JOIN (
    SELECT source_gap AS gap, count(*) AS known_rows
    FROM source
    WHERE source_gap IS NOT NULL
    GROUP BY source_gap
) AS known ON known.gap = released.gap
WHERE released.released_rows > coalesce(known.known_rows, 0)
