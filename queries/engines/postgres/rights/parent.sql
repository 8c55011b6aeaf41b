-- Answers: of which table are the rows of this one a part?
-- Reads: pg_inherits.
-- Takes: $table, the object number of the table.
-- Gives: parent, as statements name it: the first one. No row where the table is no part.
SELECT CAST(CAST(inhparent AS regclass) AS TEXT) AS parent
FROM pg_inherits
WHERE inhrelid = $table
ORDER BY inhseqno
LIMIT 1
