-- The classes as they are, while others are looked at.
CREATE OR REPLACE TEMP TABLE kept_classes AS
SELECT *
FROM assigned
