-- Answers: how many rows has each combination of a set of columns, at the leaves of their hierarchies?
-- Reads: block, the combinations of these columns and others (set_code, row_count).
-- Takes: set_code, the columns of the set; set_first, for each the number from which its leaves are counted, apart from
-- those of other columns; set_leaf, what the number of a leaf is called.
-- Gives: set_leaf, row_count.
SELECT
    CAST(block.set_code AS BIGINT) + set_first AS set_leaf,
    CAST(sum(block.row_count) AS BIGINT) AS row_count
FROM block
GROUP BY block.set_code
