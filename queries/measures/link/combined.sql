-- Answers: every pair of combinations of both releases that match: the tuple of quasi-identifiers that they say
-- together, and the values that they are joined on.
-- Reads: group_pairs, the pairs of both sides that match (left_number, right_number, left_rows, right_rows);
-- left_groups and right_groups, each the distinct rows of one side (number, qi_text, shared_text); qi_meets, of each
-- quasi-identifier the common value of a pair (said, left_label, right_label).
-- Takes: qi_said, of each quasi-identifier the value that both leave open; qi_text, of each quasi-identifier the column
-- of texts; shared_text, of each shared column its text.
-- Gives: the table combined (left_number, right_number, left_rows, right_rows, tuple, shared, qi_said).
CREATE OR REPLACE TEMP TABLE kanon.combined AS
SELECT
    group_pairs.left_number,
    group_pairs.right_number,
    group_pairs.left_rows,
    group_pairs.right_rows,
    dense_rank() OVER (ORDER BY [LIST_OF(qi_meets.said)]) AS tuple,
    dense_rank() OVER (ORDER BY [LIST_OF(left_groups.shared_text)]) AS shared,
    qi_meets.said AS qi_said
FROM kanon.group_pairs
JOIN left_groups ON left_groups.number = group_pairs.left_number
JOIN right_groups ON right_groups.number = group_pairs.right_number
JOIN qi_meets
    ON qi_meets.left_label IS NOT DISTINCT FROM left_groups.qi_text
    AND qi_meets.right_label IS NOT DISTINCT FROM right_groups.qi_text
