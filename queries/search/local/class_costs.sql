-- Answers: what each class loses, a row.
-- Reads: costed, spans of positions with what they lose (all columns).
-- Takes: nothing.
-- Gives: the table class_costs, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE class_costs AS
SELECT *
FROM costed
