-- A half without dimensions yet: all tuples are one there.
CREATE OR REPLACE TEMP TABLE half_tuples AS
SELECT CAST(1 AS INTEGER) AS tuple
