-- Answers: the codes of every level for each leaf of one hierarchy: what the mapping table says, without the values.
-- Reads: mapping, the mapping table (step_code).
-- Takes: step_code, of each level the column of its codes.
-- Gives: the table codes (step_code).
CREATE OR REPLACE TEMP TABLE codes AS
SELECT DISTINCT step_code
FROM mapping
