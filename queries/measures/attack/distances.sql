-- Answers: the classes that are nearest to those for whom none stands: those with the least sum of distances over the
-- columns. All are compared once, and the least are grouped: to sort the comparisons takes longer.
-- Reads: lonely, those for whom no class stands (target, known_rank); candidates, the classes that they are compared
-- with (node, known_code); known_distances, of each column how far its labels are from values (rank, code, distance).
-- Takes: known_code and known_rank, of each column its codes and ranks; known_distances, of each column its distances.
-- Gives: the table far (target, node, distance).
CREATE OR REPLACE TEMP TABLE far AS
WITH compared AS MATERIALIZED (
    SELECT lonely.target, candidates.node, round(SUM_OF(known_distances.distance), 6) AS distance
    FROM lonely
    CROSS JOIN candidates
    LEFT JOIN known_distances ON known_distances.rank = lonely.known_rank AND known_distances.code = candidates.known_code
)
SELECT compared.target, compared.node, compared.distance
FROM compared
JOIN (SELECT target, min(distance) AS distance FROM compared GROUP BY target) AS nearest
    ON nearest.target = compared.target AND nearest.distance = compared.distance
