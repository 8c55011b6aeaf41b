-- Answers: how many classes show other ends than the least and the greatest value of their rows, of each column. Values
-- are compared, not texts: those of one number or moment are many, and other rows may hold the one that is shown. What
-- is shown is read once for a class, not for each row.
-- Reads: shown_rows, the released rows with their values (key_value; of each column column_number, NULL where it is
-- missing, and column_shown, what the class shows).
-- Takes: key_value, what tells classes apart beside what they show; of each column column_shown and column_number,
-- names of further columns for its ends and for the answer (column_least, column_most, column_different), what is shown
-- as a number (column_shown_number) and its ends as numbers (column_shown_least, column_shown_most), and what a class
-- of missing values shows (column_missing).
-- Gives: of each column, column_different.
SELECT
    count(
        CASE
            WHEN
                CASE
                    WHEN column_least IS NULL THEN column_shown IS DISTINCT FROM CAST(column_missing AS VARCHAR)
                    WHEN column_least = column_most THEN column_shown_number IS DISTINCT FROM column_least
                    ELSE column_shown_least IS DISTINCT FROM column_least
                        OR column_shown_most IS DISTINCT FROM column_most
                END
                THEN 1
        END
    ) AS column_different
FROM (
    SELECT column_shown, min(column_number) AS column_least, max(column_number) AS column_most
    FROM shown_rows
    GROUP BY key_value, column_shown
) AS classes
