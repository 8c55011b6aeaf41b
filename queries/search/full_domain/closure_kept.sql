-- Answers: which rows may be released of a lattice node, before any is suppressed.
-- Reads: rows_there, the rows that take part by the codes of every level (key_code, more_name, row_count).
-- Takes: key_code, the codes that tell classes apart; more_name, further columns.
-- Gives: the table kept (place, key_code, more_name, row_count); place is that of the row in rows_there.
CREATE OR REPLACE TEMP TABLE kanon.kept AS
SELECT rowid AS place, key_code, more_name, row_count
FROM rows_there
