-- Answers: the tuples of each class that the program chose.
-- Reads: nothing.
-- Takes: $parts, $cells and $counts, as long as each other.
-- Gives: the table members (part, cell, row_count).
CREATE OR REPLACE TEMP TABLE members AS
SELECT
    CAST(unnest($parts) AS INTEGER) AS part,
    CAST(unnest($cells) AS INTEGER) AS cell,
    CAST(unnest($counts) AS BIGINT) AS row_count
