-- Answers: the near groups of which exchanges touched one: between two others no exchange gains more or less than
-- before.
-- Reads: near, the nearest groups of each (part, other); chosen, the exchanges that were made (part, other).
-- Takes: nothing.
-- Gives: the table near_touched (part, other).
CREATE OR REPLACE TEMP TABLE near_touched AS
WITH touched AS (
    SELECT part FROM chosen UNION ALL SELECT other AS part FROM chosen
)
SELECT near.part, near.other
FROM near
LEFT JOIN touched
    ON touched.part = near.part
LEFT JOIN touched AS also_touched
    ON also_touched.part = near.other
WHERE touched.part IS NOT NULL OR also_touched.part IS NOT NULL
