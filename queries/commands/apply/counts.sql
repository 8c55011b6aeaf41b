-- Answers: how often each row text is in each release, with the codes of its sensitive values; release 0 is the new
-- one.
-- Reads: all_texts, the row texts of all releases (release, row_count, cell_name); cells, the row texts, numbered
-- (class, cell, cell_name, sensitive_cell); sensitive_codes, of each sensitive column its codes (code, text).
-- Takes: cell_name, of each released column its name; sensitive_cell, of each sensitive column its text;
-- sensitive_code, of each sensitive column its code.
-- Gives: the table counts (release, class, cell, sensitive_code, row_count).
CREATE OR REPLACE TEMP TABLE counts AS
SELECT all_texts.release, cells.class, cells.cell, sensitive_codes.code AS sensitive_code, all_texts.row_count
FROM all_texts
JOIN cells ON cells.cell_name IS NOT DISTINCT FROM all_texts.cell_name
LEFT JOIN sensitive_codes ON sensitive_codes.text IS NOT DISTINCT FROM cells.sensitive_cell
