-- The values of a quasi-identifier with a hierarchy: the way from the top to each, packed into one number, so that the
-- leaves below a node are a range and a node is the number shifted right.
CREATE OR REPLACE TEMP TABLE domain AS
SELECT
    mapping.value AS value,
    SUM_OF(CAST(paths.step_ordinal AS BIGINT) << step_shift) AS position
FROM mapping
JOIN paths ON paths.level_0 = mapping.level_0
