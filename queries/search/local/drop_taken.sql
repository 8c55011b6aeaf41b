-- The tuples that still have no class.
CREATE OR REPLACE TEMP TABLE rest AS
SELECT rest.*
FROM rest
ANTI JOIN taken ON taken.cell = rest.cell
