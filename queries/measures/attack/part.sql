-- Answers: one part of the rows of the source.
-- Reads: attack_parted, the rows of the source in two parts (own_name, is_held_out).
-- Takes: own_name, of each column its name; held_out, whether those that are held out are asked for.
-- Gives: own_name.
SELECT own_name
FROM kanon.attack_parted
WHERE is_held_out = held_out
