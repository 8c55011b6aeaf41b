-- Answers: the classes of a lattice node that are released, and those that are suppressed. A class of which a part is
-- suppressed is there twice.
-- Reads: judged, the rows of the node, those suppressed marked (key_code, size, violates).
-- Takes: key_code, the codes that tell classes apart.
-- Gives: key_code, size, violates.
SELECT key_code, CAST(sum(size) AS BIGINT) AS size, violates
FROM judged
GROUP BY key_code, violates
