-- Answers: the open classes of which a set violates k or a model. A value that no row of the new data has cannot be
-- compared with its share of them: it violates the models that do so.
-- Reads: judged, the sets of classes, judged (class, violates); sets, the rows of each class that two releases have in
-- common or not (class, compared_code, compared_top).
-- Takes: compared_code, of each column that is compared with all rows its code; compared_top, the greatest code of such
-- a column in the new data.
-- Gives: the table failed (class).
CREATE OR REPLACE TEMP TABLE failed AS
SELECT DISTINCT class
FROM judged
WHERE violates
UNION
SELECT DISTINCT class
FROM sets
WHERE ANY_OF(compared_code > compared_top)
