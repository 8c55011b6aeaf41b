-- Which combinations of the source match which of a release. Masked rows, * in every quasi-identifier, only stand for
-- rows of the source that match nothing else.
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
        FROM group_pairs
        JOIN groups ON groups.number = group_pairs.right_number
    ) AS marked
) AS weighed
WHERE NOT is_masked OR is_masked_only
