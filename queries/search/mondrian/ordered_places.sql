-- One ordered dimension: where each position lies between 0 and 1, weighted; for texts, the step from one value to the
-- next, since a set of texts is as broad as it has values.
SELECT
    this_dimension AS dimension,
    CAST(position AS BIGINT) AS position,
    CAST(this_weight AS DOUBLE) * this_measure AS measure,
    CAST(this_weight AS DOUBLE) * this_step AS step
FROM places
