-- Answers: what one column holds in the release, with its rows. What a class of a column without hierarchy is released
-- as may end in "or missing", or be bounds of which the lower one is missing: such a label stands for missing values,
-- too.
-- Reads: counted_values, the distinct values of a column with their rows (value, row_count).
-- Takes: label_text, the text of a label; $ranges, whether a label may be a range.
-- Gives: the table labels (code, value, label, bare, covers_missing, row_count).
CREATE OR REPLACE TEMP TABLE labels AS
SELECT
    row_number() OVER (ORDER BY label NULLS FIRST, value) AS code,
    value,
    label,
    CASE WHEN $ranges THEN regexp_replace(label, ' or missing$', '') ELSE label END AS bare,
    value IS NULL
    OR ($ranges AND (ends_with(label, ' or missing') OR starts_with(label, ' to '))) AS covers_missing,
    row_count
FROM (SELECT value, label_text AS label, row_count FROM counted_values) AS released
