-- Where positions of ordered dimensions lie; there are none.
CREATE OR REPLACE TEMP TABLE ordered_places (dimension INTEGER, position BIGINT, measure DOUBLE, step DOUBLE)
