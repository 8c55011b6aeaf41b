-- How many rows of the other side every row of a node of this side matches.
CREATE OR REPLACE TEMP TABLE counts AS
SELECT
    pairs.this_node AS node,
    any_value(this_sizes.row_count) AS row_count,
    CAST(sum(other_sizes.row_count) AS BIGINT) AS matches
FROM pairs
JOIN this_sizes ON this_sizes.node = pairs.this_node
JOIN other_sizes ON other_sizes.node = pairs.other_node
GROUP BY pairs.this_node
