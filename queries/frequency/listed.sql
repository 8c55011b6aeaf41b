-- Answers: the values of each list of a sensitive column of which rows hold several, numbered; 0 is the missing one.
-- Reads: domain, the lists as texts in JSON with their numbers (value, position).
-- Takes: nothing.
-- Gives: the table listed (list, value), each pair once.
CREATE OR REPLACE TEMP TABLE listed AS
SELECT
    list,
    CASE WHEN text IS NULL THEN 0 ELSE dense_rank() OVER (ORDER BY text NULLS LAST) END AS value
FROM (
    SELECT DISTINCT position AS list, unnest(from_json(value, '["VARCHAR"]')) AS text
    FROM domain
) AS values_there
