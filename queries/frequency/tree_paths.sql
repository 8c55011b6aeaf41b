-- The leaves of a hierarchy with the way to each from the top: at every level, which child of its parent it lies below,
-- counted from 1 in the order of the file. Missing values come first.
CREATE OR REPLACE TEMP TABLE paths AS
SELECT
    step_code,
    dense_rank() OVER (PARTITION BY step_parent ORDER BY step_code) AS step_ordinal
FROM codes
