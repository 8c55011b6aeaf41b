-- Answers: how many released rows are in a class by one set of columns and in one by another set, which together are
-- all columns, so that each pair is one combination of these.
-- Reads: release_rows, the coded frequency table of the release (row_count).
-- Takes: left_key and right_key, the names of the classes by each set.
-- Gives: the table joint (left_node, right_node, row_count).
CREATE OR REPLACE TEMP TABLE joint AS
SELECT left_key AS left_node, right_key AS right_node, row_count
FROM release_rows
