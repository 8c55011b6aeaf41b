-- Answers: how many classes show another value than the least of those that most of their rows hold.
-- Reads: shown_rows, the released rows with their values (key_value; said, the text of a value, and number, both NULL
-- where it is missing; shown and shown_number, what the class shows and that as a number).
-- Takes: key_value, what tells classes apart; $missing, what a class of missing values shows; $rounded, whether values
-- are numbers: below 0 they are texts.
-- Gives: different_classes.
WITH held AS (
    SELECT
        key_value,
        shown,
        shown_number,
        number,
        CASE WHEN $rounded < 0 THEN said END AS said,
        count(CASE WHEN said IS NOT NULL THEN 1 END) AS held_rows
    FROM shown_rows
    GROUP BY key_value, shown, shown_number, number, CASE WHEN $rounded < 0 THEN said END
)
SELECT count(*) AS different_classes
FROM (
    SELECT
        max(shown) AS shown,
        max(shown_number) AS shown_number,
        max(most) AS most,
        min(CASE WHEN held_rows = most THEN number END) AS number,
        min(CASE WHEN held_rows = most THEN said END) AS said
    FROM (SELECT *, max(held_rows) OVER (PARTITION BY LIST_OF(key_value)) AS most FROM held) AS counted
    GROUP BY key_value
) AS classes
WHERE
    CASE
        WHEN most = 0 THEN shown IS DISTINCT FROM CAST($missing AS VARCHAR)
        WHEN $rounded < 0 THEN shown IS DISTINCT FROM said
        ELSE shown_number IS DISTINCT FROM number
    END
