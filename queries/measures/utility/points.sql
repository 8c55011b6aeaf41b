-- Answers: the values that each label of a hierarchy stands for: those below it at $level, or where labels have levels
-- of their own, at the highest at which it is known.
-- Reads: labels, the labels of one column of the release (code, label); steps, what stands for each value at each level
-- (level, label, rank).
-- Takes: $level, the level of the labels.
-- Gives: the table points (code, rank).
CREATE OR REPLACE TEMP TABLE points AS
SELECT labels.code, steps.rank
FROM labels
JOIN (
    SELECT label, max(level) AS level
    FROM steps
    WHERE level = coalesce($level, level)
    GROUP BY label
) AS reached ON reached.label = labels.label
JOIN steps ON steps.label = reached.label AND steps.level = reached.level
