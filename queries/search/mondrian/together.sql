-- What is the same for all dimensions of a kind, in one table.
CREATE OR REPLACE TEMP TABLE made AS
SELECT *
FROM parts
