-- How often each row text is in each release, with the codes of its sensitive values; release 0 is the new one.
CREATE OR REPLACE TEMP TABLE counts AS
SELECT all_texts.release, cells.class, cells.cell, sensitive_codes.code AS sensitive_code, all_texts.row_count
FROM all_texts
JOIN cells ON cells.cell_name IS NOT DISTINCT FROM all_texts.cell_name
LEFT JOIN sensitive_codes ON sensitive_codes.text IS NOT DISTINCT FROM cells.sensitive_cell
