-- What lies in suppressed classes, or is * in every quasi-identifier anyway: masked, it is one class.
SELECT judged_rows.*
FROM judged_rows
WHERE
    EXISTS (
        SELECT 1
        FROM suppressed_classes
        WHERE suppressed_classes.key_code = judged_rows.key_code
    )
    OR starred
