-- Answers: a label of a hierarchy file stands for every value below it.
-- Reads: labels, the distinct values of one side (code, bare); tree, the leaves below each label of a hierarchy (leaf,
-- label).
-- Takes: nothing.
-- Gives: further rows of the table points (code, point).
INSERT INTO points
SELECT labels.code, tree.leaf AS point
FROM labels
JOIN kanon.tree ON tree.label = labels.bare
