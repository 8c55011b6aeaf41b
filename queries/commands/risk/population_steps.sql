-- The population by codes of every level instead of values.
CREATE OR REPLACE TEMP TABLE population_steps AS
SELECT
    cell_ladder.cell_rung AS cell_name,
    tuples.row_count
FROM tuples
JOIN qi_ladder ON qi_ladder.value IS NOT DISTINCT FROM tuples.qi_name
