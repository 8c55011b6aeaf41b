-- Answers: the lowest level at which every label of a column is known, NULL without one. Missing values and *, which
-- stands for everything, say nothing of the level.
-- Reads: labels, the labels of one column of the release (label); steps, what stands for each value at each level
-- (level, label).
-- Takes: nothing.
-- Gives: common_level.
SELECT min(level) AS common_level
FROM (
    SELECT known.level
    FROM (SELECT DISTINCT label FROM labels WHERE label <> '*') AS present
    JOIN (SELECT DISTINCT level, label FROM steps) AS known ON known.label = present.label
    GROUP BY known.level
    HAVING count(*) = (SELECT count(DISTINCT label) FROM labels WHERE label <> '*')
) AS complete
