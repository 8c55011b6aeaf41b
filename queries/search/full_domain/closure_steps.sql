-- Answers: what is each leaf of a hierarchy at every level?
-- Reads: codes, the codes of every level for each leaf (level_0, level_code).
-- Takes: level_code, of each level the column of its codes; level_step, its number with that of the column; first_leaf,
-- the number from which the leaves of the column are counted.
-- Gives: leaf, step, above.
SELECT
    CAST(codes.level_0 AS BIGINT) + first_leaf AS leaf,
    unnest([LIST_OF(CAST(level_step AS BIGINT))]) AS step,
    unnest([LIST_OF(CAST(codes.level_code AS BIGINT))]) AS above
FROM codes
