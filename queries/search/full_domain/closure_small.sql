-- Answers: which rows lie in combinations of a set of columns that stand for too few of the rows that are left?
-- Reads: kept, the rows that are left (place, set_code).
-- Takes: set_code, the columns of the set; violates, whether a combination stands for too few.
-- Gives: place.
SELECT kept.place
FROM kanon.kept
JOIN (
    SELECT set_code
    FROM kanon.kept
    GROUP BY set_code
    HAVING violates
) AS small ON small.set_code = kept.set_code
