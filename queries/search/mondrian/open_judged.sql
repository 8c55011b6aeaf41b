-- Answers: what the models judge, with the open partition that its tuple is in.
-- Reads: judged, a table that the models judge (this_position, counted_name); open_tuples, the tuples with the
-- partition of each and the dimensions along which it is live (part, this_position, live).
-- Takes: this_position, of each dimension the column of positions; counted_name, what the models count.
-- Gives: the table open_judged (open_part, this_position, counted_name).
CREATE OR REPLACE TEMP TABLE open_judged AS
SELECT open_tuples.part AS open_part, judged.this_position, judged.counted_name
FROM judged
JOIN open_tuples ON open_tuples.this_position = judged.this_position
WHERE open_tuples.live <> 0
