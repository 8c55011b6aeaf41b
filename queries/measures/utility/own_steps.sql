-- Answers: what stands for each value of a source where there is no hierarchy: its own texts.
-- Reads: domain, the values of the source with their ranks (rank, keys).
-- Takes: nothing.
-- Gives: the table steps (level, label, rank).
CREATE OR REPLACE TEMP TABLE steps AS
SELECT DISTINCT 0 AS level, label, rank
FROM (SELECT unnest(keys) AS label, rank FROM domain) AS texts
WHERE label IS NOT NULL
