-- Answers: how do the packed level, codes and units of loss of a class change when one quasi-identifier goes from a
-- leaf of its hierarchy to a level above?
-- Reads: codes, the codes of every level for each leaf (level_0, step_code); costs, of every released value the units
-- of loss (level, code, units).
-- Takes: step_code, of each level above the leaves the column of its codes; step_number, its number; place, factor and
-- cost_factor, what the level, the code and the units of this quasi-identifier are multiplied by.
-- Gives: the table steps (code, of a leaf; key_step and cost_step, what is added to the key and the cost of a class).
CREATE OR REPLACE TEMP TABLE steps AS
SELECT
    reached.code,
    reached.level * place + (reached.above - reached.code) * factor AS key_step,
    costs.units * cost_factor AS cost_step
FROM (
    SELECT
        CAST(codes.level_0 AS BIGINT) AS code,
        unnest([LIST_OF(CAST(step_number AS BIGINT))]) AS level,
        unnest([LIST_OF(CAST(codes.step_code AS BIGINT))]) AS above
    FROM codes
) AS reached
JOIN costs ON costs.level = reached.level AND costs.code = reached.above
