-- Answers: how many classes show other ends than the least and the greatest value of their rows. Values are compared,
-- not texts: those of one number or moment are many, and other rows may hold the one that is shown. What is shown is
-- read once for a class, not for each row.
-- Reads: shown_rows, the released rows with their values (key_value; number, NULL where it is missing; shown, what the
-- class shows).
-- Takes: key_value, what tells classes apart; shown_number, the column shown as a number, and shown_least and
-- shown_most, its ends as numbers; $missing, what a class of missing values shows.
-- Gives: different_classes.
SELECT count(*) AS different_classes
FROM (
    SELECT shown, min(number) AS least_number, max(number) AS most_number
    FROM shown_rows
    GROUP BY key_value, shown
) AS classes
WHERE
    CASE
        WHEN least_number IS NULL THEN shown IS DISTINCT FROM CAST($missing AS VARCHAR)
        WHEN least_number = most_number THEN shown_number IS DISTINCT FROM least_number
        ELSE shown_least IS DISTINCT FROM least_number OR shown_most IS DISTINCT FROM most_number
    END
