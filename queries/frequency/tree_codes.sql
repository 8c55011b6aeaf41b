-- Answers: the codes of every level for each leaf of one hierarchy, and one top above them all.
-- Reads: mapping, the mapping table (step_code).
-- Takes: step_code, of each level the column of its codes.
-- Gives: the table codes (step_code, top).
CREATE OR REPLACE TEMP TABLE codes AS
SELECT DISTINCT
    step_code,
    0 AS top
FROM mapping
