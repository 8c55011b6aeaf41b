-- Answers: which rows are one class once they are masked: what lies in suppressed classes, or is * in every quasi-
-- identifier anyway.
-- Reads: judged_rows, a table that models judge; suppressed_classes (see suppressed_classes).
-- Takes: key_code, the codes that tell classes apart; starred, whether a row is * everywhere.
-- Gives: the rows, as judged_rows has them.
SELECT judged_rows.*
FROM judged_rows
WHERE
    EXISTS (
        SELECT 1
        FROM kanon.suppressed_classes
        WHERE suppressed_classes.key_code = judged_rows.key_code
    )
    OR starred
