-- Answers: which combined tuples each combination of the source can have become.
-- Reads: first_pairs and second_pairs, each the rows of a release that match rows of the source (left_number,
-- left_rows, right_number); combined, the pairs of tuples of both releases with the values that both leave open (tuple,
-- left_number, right_number).
-- Takes: nothing.
-- Gives: the table origins (number, row_count, tuple).
CREATE OR REPLACE TEMP TABLE kanon.origins AS
SELECT DISTINCT first_pairs.left_number AS number, first_pairs.left_rows AS row_count, combined.tuple
FROM kanon.first_pairs
JOIN kanon.second_pairs ON second_pairs.left_number = first_pairs.left_number
JOIN kanon.combined
    ON combined.left_number = first_pairs.right_number
    AND combined.right_number = second_pairs.right_number
