-- The half tuples so far.
CREATE OR REPLACE TEMP TABLE half_tuples AS
SELECT tuple, kept_position, this_position
FROM half_next
