-- Answers: the labels of the class that most rows are released in, as an example of the release, and whether a label is
-- that of all rows.
-- Reads: released_classes, the labels of each class (part, row_count).
-- Takes: this_name, of each quasi-identifier the column of its labels; this_only, what is called whether it has one
-- label.
-- Gives: one row: a label for each quasi-identifier, NULL for a missing value, and whether there is no other.
SELECT largest.this_name, one.this_only
FROM (
    SELECT CAST(this_name AS VARCHAR) AS this_name
    FROM kanon.released_classes
    ORDER BY row_count DESC, part
    LIMIT 1
) AS largest
CROSS JOIN (
    SELECT count(this_name) = count(*) AND min(this_name) = max(this_name) AS this_only
    FROM kanon.released_classes
) AS one
