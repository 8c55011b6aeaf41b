-- Answers: what the other exchanges gain still, once some were made: those between groups that none of these touched.
-- Reads: exchanges, what an exchange between two groups gains (part, other, cell, partner, gain); chosen, the exchanges
-- that were made (part, other).
-- Takes: nothing.
-- Gives: the table exchanges (part, other, cell, partner, gain).
CREATE OR REPLACE TEMP TABLE exchanges AS
WITH touched AS (
    SELECT part FROM chosen UNION ALL SELECT other AS part FROM chosen
)
SELECT exchanges.*
FROM exchanges
LEFT JOIN touched
    ON touched.part = exchanges.part
LEFT JOIN touched AS also_touched
    ON also_touched.part = exchanges.other
WHERE touched.part IS NULL AND also_touched.part IS NULL
