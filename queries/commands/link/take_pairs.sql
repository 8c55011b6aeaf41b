-- The pairs that are left take the place of those before.
CREATE OR REPLACE TEMP TABLE pairs AS
SELECT left_node, right_node
FROM next_pairs
