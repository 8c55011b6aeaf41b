-- Answers: intervals are written 40-44 where all numbers are integers, else [40, 45): how many labels of one column are
-- written in either way.
-- Reads: release_texts, the released values (cell_name).
-- Takes: cell_name, of each released column its name.
-- Gives: half_open, closed.
SELECT
    count(CASE WHEN starts_with(label, '[') THEN 1 END) AS half_open,
    count(CASE WHEN NOT starts_with(label, '[') THEN 1 END) AS closed
FROM (
    SELECT DISTINCT cell_name AS label
    FROM release_texts
    WHERE cell_name IS NOT NULL AND cell_name <> '*'
) AS labels
