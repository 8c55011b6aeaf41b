-- Answers: the values of a quasi-identifier with a hierarchy: the way from the top to each, packed into one number, so
-- that the leaves below a node are a range and a node is the number shifted right.
-- Reads: mapping, the mapping table (value, level_0); paths, the way to each leaf of a hierarchy (level_0,
-- step_ordinal).
-- Takes: step_ordinal, of each level the column of a node's number below its parent; step_shift, of each level the
-- shift to its bits.
-- Gives: the table domain (value, position).
CREATE OR REPLACE TEMP TABLE domain AS
SELECT
    mapping.value AS value,
    SUM_OF(CAST(paths.step_ordinal AS BIGINT) << step_shift) AS position
FROM mapping
JOIN kanon.paths ON paths.level_0 = mapping.level_0
