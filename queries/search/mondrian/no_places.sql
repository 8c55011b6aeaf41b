-- Answers: where positions of ordered dimensions lie; there are none.
-- Reads: nothing.
-- Takes: nothing.
-- Gives: the table ordered_places (dimension, position, measure, step).
CREATE OR REPLACE TEMP TABLE ordered_places (dimension INTEGER, position BIGINT, measure DOUBLE, step DOUBLE)
