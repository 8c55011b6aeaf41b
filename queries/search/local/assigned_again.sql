-- The classes that were kept are the better ones.
CREATE OR REPLACE TEMP TABLE assigned AS
SELECT *
FROM kept_classes
