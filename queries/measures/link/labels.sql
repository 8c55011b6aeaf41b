-- Answers: the distinct values of one linking column on one side. What a class of a column without hierarchy is
-- released as may end in "or missing", or be bounds of which the lower one is missing: such a value covers missing ones
-- too.
-- Reads: groups, the distinct rows of one side with their number (this_text, row_count).
-- Takes: this_text, the column of texts; $ranges, whether a value may be a range.
-- Gives: the table labels (code, label, bare, covers_missing, row_count).
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
