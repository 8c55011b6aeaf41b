-- What would be released of the classes that are open: of each row text as many rows as the new data and the release
-- $held_by both hold; held by the new data itself, release 0, that is every row.
CREATE OR REPLACE TEMP TABLE tried AS
SELECT counts.class, counts.cell, counts.sensitive_code, least(counts.row_count, held.row_count) AS quota
FROM counts
JOIN open_classes ON open_classes.class = counts.class
JOIN (
    SELECT cell, row_count
    FROM counts
    WHERE release = $held_by
) AS held ON held.cell = counts.cell
WHERE counts.release = 0
