-- Answers: what zones give up: the rows of each tuple, which of them go back to a class of their tuple alone, and the
-- most that one lost.
-- Reads: standing, the tuples of each class with what the class loses (part, cell, row_count, cost); zones, the zones
-- of classes (part, zone); spare, the classes of one tuple (part, cell).
-- Takes: nothing.
-- Gives: the table freed (zone, cell, row_count, most, home).
CREATE OR REPLACE TEMP TABLE freed AS
SELECT
    zones.zone,
    standing.cell,
    CAST(sum(standing.row_count) AS BIGINT) AS row_count,
    max(standing.cost) AS most,
    any_value(spare.part) AS home
FROM standing
JOIN zones ON zones.part = standing.part
LEFT JOIN spare ON spare.cell = standing.cell
GROUP BY zones.zone, standing.cell
