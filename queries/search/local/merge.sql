-- These classes are one.
CREATE OR REPLACE TEMP TABLE members AS
SELECT
    CASE WHEN merge_order.place <= $places THEN 0 ELSE members.part END AS part,
    members.cell,
    members.row_count
FROM members
LEFT JOIN merge_order ON merge_order.part = members.part
