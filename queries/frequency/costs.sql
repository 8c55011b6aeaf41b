-- Answers: one quasi-identifier: every released value of every level with its rows, the leaves of the hierarchy below
-- it less one (the units of the loss), and the binary logarithm of its rows (for the entropy), in units of which
-- sums over all rows are exact.
-- Reads: weight, the released values of a hierarchy (leaves, level, code); codes, the codes of every level for each
-- leaf (level_0, step_code); frequency, the frequency table (qi_leaf, row_count).
-- Takes: qi_leaf, of each quasi-identifier the column of its codes, leaves of the hierarchy; step_code, of each level
-- the column of its codes; step_number, of each level its number.
-- Gives: the table costs (level, code, units, row_count, spread).
CREATE OR REPLACE TEMP TABLE costs AS
SELECT
    reached.level,
    reached.code,
    CAST(weight.leaves - 1 AS BIGINT) AS units,
    CAST(sum(reached.row_count) AS BIGINT) AS row_count,
    round(log2(CAST(sum(reached.row_count) AS DOUBLE)) * any_value(exact.units)) / any_value(exact.units) AS spread
FROM (
    SELECT
        unnest([LIST_OF(CAST(step_number AS INTEGER))]) AS level,
        unnest([LIST_OF(CAST(codes.step_code AS BIGINT))]) AS code,
        leaf.row_count
    FROM (
        SELECT frequency.qi_leaf AS code, sum(frequency.row_count) AS row_count
        FROM kanon.frequency
        GROUP BY frequency.qi_leaf
    ) AS leaf
    JOIN codes ON codes.level_0 = leaf.code
) AS reached
CROSS JOIN (SELECT pow(2, 46 - ceil(log2(CAST(sum(row_count) AS DOUBLE)))) AS units FROM kanon.frequency) AS exact
JOIN weight ON weight.level = reached.level AND weight.code = reached.code
GROUP BY reached.level, reached.code, weight.leaves
