-- Answers: the new release where another engine holds the rows: all rows of the classes that are not listed, of those
-- listed of each row as many as a release holds too, in no order: rows of one key are alike.
-- Reads: candidates, the rows that may be released (what cell_text reads, out_key); waiting, the classes of which not
-- all rows are released (class_key, held_by); counts, how often each row is in each release (row_key, row_count,
-- release).
-- Takes: cell_name and cell_text, of each released column its name and its text; class_text and row_text, the keys made
-- of these names; out_key and out_name, of each released column its key and its name; sort_key, the order.
-- Gives: out_name.
SELECT picked.out_key AS out_name
FROM (
    SELECT
        keyed.out_key,
        keyed.row_key,
        waiting.held_by,
        row_number() OVER (PARTITION BY keyed.row_key ORDER BY keyed.row_key) AS copy
    FROM (
        SELECT out_key, class_text AS class_key, row_text AS row_key
        FROM (
            SELECT out_key, cell_text AS cell_name
            FROM candidates
        ) AS cells
    ) AS keyed
    LEFT JOIN waiting ON waiting.class_key = keyed.class_key
) AS picked
LEFT JOIN counts AS held ON held.row_key = picked.row_key AND held.release = picked.held_by
WHERE picked.held_by IS NULL OR picked.copy <= coalesce(held.row_count, 0)
ORDER BY sort_key
