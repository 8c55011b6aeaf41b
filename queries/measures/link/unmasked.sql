-- Answers: which combinations of the source match which of a release. Masked rows, * in every quasi-identifier, only
-- stand for rows of the source that match nothing else.
-- Reads: group_pairs, the pairs of both sides that match (left_number, right_number, left_rows); groups, the distinct
-- rows of one side with their number (number, qi_text).
-- Takes: qi_text, of each quasi-identifier the column of texts.
-- Gives: the table found_pairs (left_number, right_number, left_rows).
CREATE OR REPLACE TEMP TABLE found_pairs AS
SELECT left_number, right_number, left_rows
FROM (
    SELECT *, bool_and(is_masked) OVER (PARTITION BY left_number) AS is_masked_only
    FROM (
        SELECT
            group_pairs.left_number,
            group_pairs.right_number,
            group_pairs.left_rows,
            ALL_OF(coalesce(groups.qi_text, '') = '*') AS is_masked
        FROM kanon.group_pairs
        JOIN groups ON groups.number = group_pairs.right_number
    ) AS marked
) AS weighed
WHERE NOT is_masked OR is_masked_only
