-- Answers: the equivalence classes at the leaves of all hierarchies, from which the other nodes of the lattice are
-- rolled up.
-- Reads: tuples, the combinations by the codes of every level (qi_code, row_count).
-- Takes: qi_code, of each quasi-identifier the column of its codes at the leaves; qi_factor, what they are multiplied
-- by to be packed into one number.
-- Gives: the table rolled (key, the packed codes; cost, the packed units of loss of a row, none at the leaves; size).
CREATE OR REPLACE TEMP TABLE rolled AS
SELECT
    SUM_OF(CAST(tuples.qi_code AS BIGINT) * qi_factor) AS key,
    CAST(0 AS BIGINT) AS cost,
    CAST(tuples.row_count AS BIGINT) AS size
FROM kanon.tuples
