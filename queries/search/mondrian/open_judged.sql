-- What the models judge, with the open partition that its tuple is in.
CREATE OR REPLACE TEMP TABLE open_judged AS
SELECT open_tuples.part AS open_part, judged.*
FROM judged
JOIN open_tuples ON open_tuples.this_position = judged.this_position
WHERE open_tuples.live <> 0
