-- Answers: the rows of which a combination was too small, in this set of columns or in one before.
-- Reads: known_fallen, those found before; short, those of some sets of columns: row_number, row_count, alone.
-- Takes: nothing.
-- Gives: the table known_fallen (row_number, row_count, alone).
CREATE OR REPLACE TEMP TABLE kanon.known_fallen AS
SELECT row_number, max(row_count) AS row_count, bool_or(alone) AS alone
FROM (
    SELECT row_number, row_count, alone
    FROM kanon.known_fallen
    UNION ALL
    SELECT row_number, row_count, alone
    FROM short
) AS found
GROUP BY row_number
