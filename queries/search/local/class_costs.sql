-- What each class loses, a row.
CREATE OR REPLACE TEMP TABLE class_costs AS
SELECT *
FROM costed
