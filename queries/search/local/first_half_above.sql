-- Answers: a half without dimensions yet: one label above its one tuple.
-- Reads: nothing.
-- Takes: nothing.
-- Gives: the table half_above (tuple, label).
CREATE OR REPLACE TEMP TABLE half_above AS
SELECT CAST(1 AS INTEGER) AS tuple, CAST(1 AS INTEGER) AS label
