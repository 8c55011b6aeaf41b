-- Answers: which constraints does a table have? A foreign key comes last: it refers to a key that must be there.
-- Reads: pg_constraint.
-- Takes: $table, the object number of the table.
-- Gives: name; refers, whether it is a foreign key; definition; is_condition, whether each row must meet it.
SELECT
    conname AS name,
    contype = 'f' AS refers,
    pg_get_constraintdef(oid) AS definition,
    contype IN ('c', 'x') AS is_condition
FROM pg_constraint
WHERE conrelid = $table AND contype IN ('p', 'u', 'x', 'c', 'f')
ORDER BY contype = 'f', contype <> 'p', conname
