-- Before any column is looked at all rows of both sides are together.
CREATE OR REPLACE TEMP TABLE pairs AS
SELECT 0 AS left_node, 0 AS right_node
