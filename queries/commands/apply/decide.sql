-- Answers: takes what was tried for the classes of which no set failed.
-- Reads: tried, what would be released (cell, class, quota); failed, the classes of which a set violates (class).
-- Takes: $attempt, the number of the attempt.
-- Gives: further rows of the table quotas (cell, class, quota, attempt).
INSERT INTO quotas
SELECT cell, class, quota, CAST($attempt AS BIGINT) AS attempt
FROM tried
WHERE NOT EXISTS (SELECT 1 FROM failed WHERE failed.class = tried.class)
