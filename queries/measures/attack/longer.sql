-- Answers: the beginnings that match so far with all that are longer by one column.
-- Reads: pairs, the beginnings that match so far (target, node); classes, the released classes (parent_node, this_node,
-- this_code).
-- Takes: parent_node and this_node, the columns of the classes up to the column before and to this one; this_code, the
-- column of codes.
-- Gives: the table wanted (target, node, code).
CREATE OR REPLACE TEMP TABLE wanted AS
SELECT pairs.target, children.node, children.code
FROM pairs
JOIN (SELECT DISTINCT parent_node AS parent, this_code AS code, this_node AS node FROM classes) AS children
    ON children.parent = pairs.node
