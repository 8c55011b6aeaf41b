-- Answers: what would be released of the classes that are open: of each row text as many rows as the new data and the
-- release $held_by both hold; held by the new data itself, release 0, that is every row.
-- Reads: counts, how often each row text is in each release (class, cell, sensitive_code, row_count, release);
-- open_classes, the classes that are not decided (class).
-- Takes: sensitive_code, of each sensitive column its code; $held_by, the release that it is held against.
-- Gives: the table tried (class, cell, sensitive_code, quota).
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
