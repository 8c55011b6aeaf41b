-- The codes of every level for each leaf of one hierarchy, and one top above them all.
CREATE OR REPLACE TEMP TABLE codes AS
SELECT DISTINCT
    step_code,
    0 AS top
FROM mapping
