-- Intervals are written 40-44 where all numbers are integers, else [40, 45): how many labels of one column are written
-- in either way.
SELECT
    count(CASE WHEN starts_with(label, '[') THEN 1 END) AS half_open,
    count(CASE WHEN NOT starts_with(label, '[') THEN 1 END) AS closed
FROM (
    SELECT DISTINCT cell_name AS label
    FROM release_texts
    WHERE cell_name IS NOT NULL AND cell_name <> '*'
) AS labels
