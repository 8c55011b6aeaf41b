-- Answers: the leaves of a hierarchy with the way to each from the top: at every level, which child of its parent it
-- lies below, counted from 1 in the order of the file. Missing values come first.
-- Reads: codes, the codes of every level for each leaf (step_code, step_parent).
-- Takes: step_code, of each level the column of its codes; step_ordinal, of each level the column of a node's number
-- below its parent; step_parent, of each level the column of the codes above.
-- Gives: the table paths (step_code, step_ordinal).
CREATE OR REPLACE TEMP TABLE kanon.paths AS
SELECT
    step_code,
    dense_rank() OVER (PARTITION BY step_parent ORDER BY step_code) AS step_ordinal
FROM codes
