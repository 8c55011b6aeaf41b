-- The equivalence classes of the chosen node that violate what is asked for, by their codes.
CREATE OR REPLACE TEMP TABLE suppressed_classes AS
SELECT key_code, TRUE AS is_suppressed
FROM classes
WHERE violates
