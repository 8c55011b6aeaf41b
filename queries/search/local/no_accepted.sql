-- The labels that were accepted of those on offer; none yet.
CREATE OR REPLACE TEMP TABLE accepted AS
SELECT label
FROM offers
WHERE FALSE
