-- Answers: what the models judge, with the open partition that its tuple is in.
-- Reads: judged, a table that the models judge (all columns); open_tuples, the tuples with the partition of each and
-- the dimensions along which it is live (part, this_position, live).
-- Takes: this_position, of each dimension the column of positions.
-- Gives: the table open_judged, with the columns of what it reads.
CREATE OR REPLACE TEMP TABLE open_judged AS
SELECT open_tuples.part AS open_part, judged.*
FROM judged
JOIN open_tuples ON open_tuples.this_position = judged.this_position
WHERE open_tuples.live <> 0
