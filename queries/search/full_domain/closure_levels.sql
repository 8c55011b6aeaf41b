-- Answers: how many rows lie in combinations of sets of columns that are fewer than k, at every choice of levels, and
-- how many rows the least of the others has?
-- Reads: counted, the combinations of some columns; cells, those of each set of these at the leaves (set_leaf,
-- row_count); set_steps, what each leaf is at every level (leaf, step, above).
-- Takes: $k; for each place in a set set_leaf, its column in cells; set_steps, its table; set_step, what its step is
-- called: the number of a column with that of its level.
-- Gives: set_step, lost, least; least is NULL where there are no others.
WITH block AS MATERIALIZED (
    SELECT *
    FROM counted
)
SELECT
    set_step,
    CAST(coalesce(sum(CASE WHEN is_small THEN size END), 0) AS BIGINT) AS lost,
    CAST(min(CASE WHEN NOT is_small THEN size END) AS BIGINT) AS least
FROM (
    SELECT set_steps.step AS set_step, sum(cells.row_count) AS size, sum(cells.row_count) < $k AS is_small
    FROM cells
    JOIN set_steps ON set_steps.leaf = cells.set_leaf
    GROUP BY set_steps.step, set_steps.above
) AS leveled
GROUP BY set_step
