-- The codes of every level for each leaf of one hierarchy: what the mapping table says, without the values.
CREATE OR REPLACE TEMP TABLE codes AS
SELECT DISTINCT step_code
FROM mapping
