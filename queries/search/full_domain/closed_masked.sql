-- Answers: would the rows that are suppressed, with those that are * in every quasi-identifier anyway, be too few for a
-- class of their own once they are masked?
-- Reads: rows_there, the rows that take part by the codes of every level, with what is counted of them; kept, those
-- that are left (place).
-- Takes: starred, whether a row is * everywhere; violates, whether a class is too small.
-- Gives: one row: too_few.
SELECT violates AS too_few
FROM rows_there
WHERE
    NOT EXISTS (
        SELECT 1
        FROM kanon.kept
        WHERE kept.place = rows_there.rowid
    )
    OR starred
