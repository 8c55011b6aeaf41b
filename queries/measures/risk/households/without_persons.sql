-- Answers: the classes by their numbers where no population is known.
-- Reads: numbered, the classes with their numbers (id).
-- Takes: nothing.
-- Gives: the table sized_classes (id, persons).
CREATE OR REPLACE TEMP TABLE sized_classes AS
SELECT
    id,
    CAST(NULL AS BIGINT) AS persons
FROM numbered
