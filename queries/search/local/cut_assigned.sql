-- The classes are those of the cuts.
CREATE OR REPLACE TEMP TABLE assigned AS
SELECT *
FROM cut_classes
