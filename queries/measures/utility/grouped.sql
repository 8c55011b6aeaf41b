-- Answers: the groups of bins that tell rows of both sides apart: which bin of a column is in which group.
-- Reads: nothing.
-- Takes: $bins and $groups, the bins and their groups, as JSON.
-- Gives: the table utility_grouped (bin, group_number).
CREATE OR REPLACE TEMP TABLE kanon.utility_grouped AS
SELECT
    unnest(CAST(CAST($bins AS JSON) AS BIGINT[])) AS bin,
    unnest(CAST(CAST($groups AS JSON) AS BIGINT[])) AS group_number
