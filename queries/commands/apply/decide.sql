-- Takes what was tried for the classes of which no set failed.
INSERT INTO quotas
SELECT cell, class, quota, CAST($attempt AS BIGINT) AS attempt
FROM tried
WHERE NOT EXISTS (SELECT 1 FROM failed WHERE failed.class = tried.class)
