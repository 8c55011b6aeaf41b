-- Answers: the released classes of a lattice node, numbered.
-- Reads: tuples, the distinct combinations of codes of every level (key_code, row_count); drop_classes, the suppressed
-- classes by their codes.
-- Takes: key_code, the codes that tell classes apart.
-- Gives: the table node_classes (part, key_code).
CREATE OR REPLACE TEMP TABLE node_classes AS
SELECT row_number() OVER (ORDER BY classes.row_count DESC, LIST_OF(classes.key_code)) AS part, classes.key_code
FROM (
    SELECT key_code, sum(row_count) AS row_count
    FROM tuples
    GROUP BY key_code
) AS classes
WHERE NOT EXISTS (
    SELECT 1
    FROM drop_classes
    WHERE drop_classes.key_code = classes.key_code
)
