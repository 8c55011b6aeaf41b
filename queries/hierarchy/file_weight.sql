-- Answers: every released value of a hierarchy file by level: its code, how many values of the file lie below it, its
-- label. Code 0 is the missing value: without a label, or * at the top. Long lists come as JSON: one parameter, where
-- one a value would be slow.
-- Reads: nothing.
-- Takes: $codes, the codes of each level, as JSON; $labels, the labels, as JSON; $leaves, the values of the file, as
-- JSON; $levels, the level of each released value, as JSON.
-- Gives: the table weight (level, code, leaves, label).
CREATE OR REPLACE TEMP TABLE weight AS
SELECT
    unnest(CAST(CAST($levels AS JSON) AS INTEGER[])) AS level,
    unnest(CAST(CAST($codes AS JSON) AS BIGINT[])) AS code,
    unnest(CAST(CAST($leaves AS JSON) AS BIGINT[])) AS leaves,
    unnest(CAST(CAST($labels AS JSON) AS VARCHAR[])) AS label
