-- Answers: the distinct texts of a linking column, of both sides.
-- Reads: left_groups and right_groups, each the distinct rows of one side (this_text).
-- Takes: this_text, the column of texts.
-- Gives: value.
SELECT this_text AS value
FROM left_groups
UNION
SELECT this_text AS value
FROM right_groups
