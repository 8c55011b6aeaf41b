-- Answers: one sensitive column of the sets, as the models read it.
-- Reads: sets, the rows of each class that two releases have in common or not (class, release, side, row_count, code).
-- Takes: nothing.
-- Gives: class, release, side, value, row_count.
SELECT class, release, side, code AS value, row_count
FROM sets
