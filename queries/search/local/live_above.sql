-- Answers: the half labels that enough rows without a class fall under.
-- Reads: rest, the tuples without a class (this_tuple, row_count); half_above, the half labels above each half tuple
-- (tuple, label, cost).
-- Takes: this_tuple, the column of half tuples; $k, the fewest rows of a class.
-- Gives: the table half_above (tuple, label, cost).
CREATE OR REPLACE TEMP TABLE half_above AS
WITH live_tuples AS (
    SELECT this_tuple AS tuple, CAST(sum(row_count) AS BIGINT) AS row_count
    FROM rest
    GROUP BY this_tuple
),
offered AS (
    SELECT half_above.tuple, half_above.label, half_above.cost, live_tuples.row_count
    FROM half_above
    JOIN live_tuples ON live_tuples.tuple = half_above.tuple
)
SELECT offered.tuple, offered.label, offered.cost
FROM offered
SEMI JOIN (
    SELECT label
    FROM offered
    GROUP BY label
    HAVING sum(row_count) >= $k
) AS live ON live.label = offered.label
