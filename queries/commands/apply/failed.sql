-- The open classes of which a set violates k or a model. A value that no row of the new data has cannot be compared
-- with its share of them: it violates the models that do so.
CREATE OR REPLACE TEMP TABLE failed AS
SELECT DISTINCT class
FROM judged
WHERE violates
UNION
SELECT DISTINCT class
FROM sets
WHERE ANY_OF(compared_code > compared_top)
