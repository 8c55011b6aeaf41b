-- Answers: what anybody can tell apart who has the new release and an earlier one, as another engine counted it, with
-- the codes of the sensitive values.
-- Reads: brought, the sets (class_key, release, side, sensitive_value, row_count); counts, the classes, numbered
-- (class, class_key); open_classes, the classes that are not decided (class); sensitive_codes, of each sensitive
-- column its codes (code, text).
-- Takes: sensitive_code and sensitive_value, of each sensitive column its code and its value.
-- Gives: the table sets (class, release, side, sensitive_code, row_count).
CREATE OR REPLACE TEMP TABLE sets AS
SELECT counts.class, brought.release, brought.side, sensitive_codes.code AS sensitive_code, brought.row_count
FROM brought
JOIN counts ON counts.class_key = brought.class_key
JOIN open_classes ON open_classes.class = counts.class
LEFT JOIN sensitive_codes ON sensitive_codes.text IS NOT DISTINCT FROM CAST(sensitive_value AS VARCHAR)
