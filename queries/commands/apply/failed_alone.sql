-- The classes that violate by themselves, whatever was released before.
CREATE OR REPLACE TEMP TABLE failed_alone AS
SELECT class
FROM judged
WHERE violates AND release = 0
