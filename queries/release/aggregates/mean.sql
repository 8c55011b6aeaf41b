-- Answers: how many classes show other means than their rows have, of each column: of the rows themselves, with the
-- engine's own functions. What is shown may be rounded.
-- Reads: shown_rows, the released rows with their values (key_value; of each column column_number, NULL where it is
-- missing, and column_shown, what the class shows).
-- Takes: key_value, what tells classes apart beside what they show; of each column column_shown and column_number,
-- names of further columns for its mean, its greatest number and the answer (column_again, column_most,
-- column_different), what is shown as a number (column_shown_number), what a class of missing values shows
-- (column_missing) and how far a value may be rounded (column_rounded).
-- Gives: of each column, column_different.
SELECT
    count(
        CASE
            WHEN
                CASE
                    WHEN column_again IS NULL THEN column_shown IS DISTINCT FROM CAST(column_missing AS VARCHAR)
                    ELSE column_shown_number IS NULL
                        OR abs(column_shown_number - column_again) > column_rounded + 1e-9 * column_most
                END
                THEN 1
        END
    ) AS column_different
FROM (
    SELECT column_shown, avg(column_number) AS column_again, max(abs(column_number)) AS column_most
    FROM shown_rows
    GROUP BY key_value, column_shown
) AS classes
