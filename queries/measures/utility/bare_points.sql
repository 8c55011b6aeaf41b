-- Answers: the values that a single value beside missing ones, or a set of values, stands for.
-- Reads: open_labels, the labels that are no value of the source (code, bare); members, the members of sets (code,
-- point); steps, what stands for each value at each level (level, label, rank).
-- Takes: nothing.
-- Gives: further rows of the table points (code, rank).
INSERT INTO points
SELECT open_labels.code, steps.rank
FROM open_labels
JOIN steps ON steps.label = open_labels.bare AND steps.level = 0
UNION
SELECT members.code, steps.rank
FROM members
JOIN steps ON steps.label = members.point AND steps.level = 0
