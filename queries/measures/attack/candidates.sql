-- Answers: the classes that those are compared with for whom none stands: all, or of too many $most, drawn by a hash.
-- Reads: classes, the released classes (known_code, last_node).
-- Takes: known_code, of each column its codes; last_node, the name of a class; $most, how many classes at most; $seed,
-- what draws them.
-- Gives: the table candidates (known_code, node).
CREATE OR REPLACE TEMP TABLE candidates AS
SELECT known_code, node
FROM (
    SELECT known_code, last_node AS node, hash(CAST([CAST($seed AS UBIGINT), last_node] AS VARCHAR)) AS draw
    FROM classes
    ORDER BY draw
    LIMIT $most
) AS drawn
