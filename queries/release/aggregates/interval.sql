-- Answers: how many classes show other ends than the least and the greatest value of their rows.
-- Reads: shown_rows, the released rows with their values (key_value; said, the text of a value, and number, both NULL
-- where it is missing; shown, what the class shows).
-- Takes: key_value, what tells classes apart; $missing, what a class of missing values shows; $between, what stands
-- between the ends.
-- Gives: different_classes.
SELECT count(*) AS different_classes
FROM (
    SELECT
        max(shown) AS shown,
        min(CASE WHEN number = lowest THEN said END) AS lower_end,
        min(CASE WHEN number = highest THEN said END) AS upper_end,
        min(number) = max(number) AS is_one
    FROM (
        SELECT
            *,
            min(number) OVER (PARTITION BY LIST_OF(key_value)) AS lowest,
            max(number) OVER (PARTITION BY LIST_OF(key_value)) AS highest
        FROM shown_rows
    ) AS marked
    GROUP BY key_value
) AS classes
WHERE
    shown IS DISTINCT FROM CASE
        WHEN is_one IS NULL THEN CAST($missing AS VARCHAR)
        WHEN is_one THEN lower_end
        ELSE lower_end || $between || upper_end
    END
