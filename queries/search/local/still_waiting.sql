-- The tuples that still wait.
CREATE OR REPLACE TEMP TABLE waiting AS
SELECT waiting.*
FROM waiting
ANTI JOIN joined ON joined.cell = waiting.cell
