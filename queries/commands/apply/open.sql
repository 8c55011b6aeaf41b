-- The classes of the new data, none of them decided.
CREATE OR REPLACE TEMP TABLE open_classes AS
SELECT DISTINCT class
FROM counts
WHERE release = 0
