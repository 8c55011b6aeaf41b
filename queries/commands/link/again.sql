-- Answers: the combinations of one side from the start, for another link.
-- Reads: kept_groups, the distinct rows of one side as an earlier link found them (all columns).
-- Takes: nothing.
-- Gives: the table groups, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE groups AS
SELECT *
FROM kept_groups
