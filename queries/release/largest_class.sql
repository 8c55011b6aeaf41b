-- Answers: the class of a lattice node that most rows are released in, by its codes: what serves as an example of the
-- release.
-- Reads: classes, the statement that judges classes (see queries/privacy): the codes, size, violates.
-- Takes: key_code, the codes that tell classes apart, and k, for which that statement asks.
-- Gives: one row: the codes, size.
SELECT key_code, size
FROM (
    SELECT key_code, size, row_number() OVER (ORDER BY size DESC, LIST_OF(key_code)) AS rank_of_class
    FROM classes
    WHERE NOT violates
) AS ranked
WHERE rank_of_class = 1
