-- Answers: each class of several tuples is a zone of its own.
-- Reads: standing, the tuples of each class (part, is_alone).
-- Takes: nothing.
-- Gives: the table zones (part, zone).
CREATE OR REPLACE TEMP TABLE zones AS
SELECT DISTINCT part, CAST(part AS BIGINT) AS zone
FROM standing
WHERE NOT is_alone
