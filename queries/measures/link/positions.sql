-- Answers: rows that stand at the same place of both releases and match, by the tuple that they say together.
-- Reads: left_placed and right_placed, each the rows of one side with their places (position, number); combined, the
-- pairs of tuples of both releases with the values that both leave open (tuple, left_number, right_number).
-- Takes: nothing.
-- Gives: the table tuples (tuple, row_count).
CREATE OR REPLACE TEMP TABLE kanon.tuples AS
SELECT combined.tuple, count(*) AS row_count
FROM left_placed
JOIN right_placed ON right_placed.position = left_placed.position
JOIN kanon.combined
    ON combined.left_number = left_placed.number
    AND combined.right_number = right_placed.number
GROUP BY combined.tuple
