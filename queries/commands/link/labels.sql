-- The distinct values of one linking column on one side. What a class of a column without hierarchy is released as may
-- end in "or missing", or be bounds of which the lower one is missing: such a value covers missing ones too.
CREATE OR REPLACE TEMP TABLE labels AS
SELECT
    row_number() OVER (ORDER BY this_text) AS code,
    this_text AS label,
    CASE WHEN $ranges THEN regexp_replace(this_text, ' or missing$', '') ELSE this_text END AS bare,
    this_text IS NULL
    OR ($ranges AND (ends_with(this_text, ' or missing') OR starts_with(this_text, ' to '))) AS covers_missing,
    CAST(sum(row_count) AS BIGINT) AS row_count
FROM groups
GROUP BY this_text
