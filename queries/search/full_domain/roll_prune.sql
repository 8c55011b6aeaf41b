-- Answers: the classes that some node above them may release, at other levels of the quasi-identifiers that are left:
-- at the tops of these all are one, and it has k rows.
-- Reads: raised, the classes of nodes (key, cost, size).
-- Takes: $k; shift, how many bits of a key are of the quasi-identifiers that are left.
-- Gives: the table rolled, these rows of raised.
CREATE OR REPLACE TEMP TABLE rolled AS
SELECT raised.key, raised.cost, raised.size
FROM raised
WHERE (raised.key >> shift) IN (
    SELECT (raised.key >> shift) AS top
    FROM raised
    GROUP BY (raised.key >> shift)
    HAVING sum(raised.size) >= $k
)
