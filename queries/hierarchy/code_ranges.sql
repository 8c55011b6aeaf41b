-- Answers: ranges of codes with what lies above them. Long lists come as JSON: one parameter, where one a value would
-- be slow.
-- Reads: nothing.
-- Takes: $first and $last, the ends of each range, as JSON; $above, what lies above it, as JSON; $top, what lies above
-- that, as JSON.
-- Gives: the table code_ranges (first_code, last_code, above, top).
CREATE OR REPLACE TEMP TABLE kanon.code_ranges AS
SELECT
    unnest(CAST(CAST($first AS JSON) AS VARCHAR[])) AS first_code,
    unnest(CAST(CAST($last AS JSON) AS VARCHAR[])) AS last_code,
    unnest(CAST(CAST($above AS JSON) AS VARCHAR[])) AS above,
    unnest(CAST(CAST($top AS JSON) AS VARCHAR[])) AS top
