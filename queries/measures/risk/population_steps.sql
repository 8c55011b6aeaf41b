-- Answers: the population by codes of every level instead of values.
-- Reads: tuples, the distinct tuples with their rows (row_count, qi_name); qi_ladder, of each quasi-identifier its
-- labels by level (value).
-- Takes: cell_ladder, of each quasi-identifier its labels by level; cell_name, of each level of each column its name
-- here; cell_rung, of each level of each column its column in the ladder; qi_name, of each quasi-identifier the column
-- of its values.
-- Gives: the table risk_population_steps (cell_name, row_count).
CREATE OR REPLACE TEMP TABLE kanon.risk_population_steps AS
SELECT
    cell_ladder.cell_rung AS cell_name,
    tuples.row_count
FROM tuples
JOIN qi_ladder ON qi_ladder.value IS NOT DISTINCT FROM tuples.qi_name
