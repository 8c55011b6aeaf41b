-- Answers: one ordered dimension: where each position lies between 0 and 1, weighted; for texts, the step from one
-- value to the next, since a set of texts is as broad as it has values.
-- Reads: places, a row for each position of a dimension (position).
-- Takes: this_dimension, the number of the dimension; this_measure, where a position lies, from 0 to 1; this_step, the
-- step from one value to the next; this_weight, the weight of the dimension.
-- Gives: dimension, position, measure, step.
SELECT
    this_dimension AS dimension,
    CAST(position AS BIGINT) AS position,
    CAST(this_weight AS DOUBLE) * this_measure AS measure,
    CAST(this_weight AS DOUBLE) * this_step AS step
FROM places
