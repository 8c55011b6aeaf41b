-- Answers: what does the comment of a table say?
-- Reads: nothing but the catalogue.
-- Takes: $table, the object number of the table.
-- Gives: comment; NULL where there is none.
SELECT obj_description($table, 'pg_class') AS comment
