-- Answers: how many classes show other geometric means than their rows have: of the rows themselves, with the engine's
-- own functions. What is shown may be rounded.
-- Reads: shown_rows, the released rows with their values (key_value; number, NULL where it is missing; shown and
-- shown_number, what the class shows and that as a number).
-- Takes: key_value, what tells classes apart; $missing, what a class of missing values shows; $rounded, how far a
-- value may be rounded.
-- Gives: different_classes.
SELECT count(*) AS different_classes
FROM (
    SELECT
        shown,
        shown_number,
        CASE
            WHEN min(number) > 0 THEN exp(avg(ln(CASE WHEN number > 0 THEN number END)))
            ELSE 0.0 * min(number)
        END AS again,
        max(abs(number)) AS most
    FROM shown_rows
    GROUP BY key_value, shown, shown_number
) AS classes
WHERE
    CASE
        WHEN again IS NULL THEN shown IS DISTINCT FROM CAST($missing AS VARCHAR)
        ELSE shown_number IS NULL OR abs(shown_number - again) > $rounded + 1e-9 * most
    END
