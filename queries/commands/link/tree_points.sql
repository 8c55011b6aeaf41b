-- A label of a hierarchy file stands for every value below it.
INSERT INTO points
SELECT labels.code, tree.leaf AS point
FROM labels
JOIN tree ON tree.label = labels.bare
