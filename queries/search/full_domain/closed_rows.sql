-- Answers: which rows are released of a lattice node, and which are suppressed, where that is found round by round?
-- Reads: rows_there, the rows that take part by the codes of every level (key_code, row_count); kept, those that are
-- left (place).
-- Takes: key_code, the codes that tell classes apart.
-- Gives: key_code, size: the rows of one combination, violates: whether they are suppressed.
SELECT
    rows_there.key_code,
    rows_there.row_count AS size,
    kept.place IS NULL AS violates
FROM rows_there
LEFT JOIN kanon.kept ON kept.place = rows_there.rowid
