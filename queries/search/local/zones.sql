-- Answers: the classes of several tuples in zones of a few that are near each other: they follow one another where
-- classes are sorted by some nodes above them.
-- Reads: class_costs, the classes with their spans and losses (part, sort_low); standing, the tuples of each class
-- (part, is_alone).
-- Takes: sort_low and sort_shift, of each dimension, in the order in which they are sorted by, the least position and
-- the shift to its node; $classes, how many classes a zone has; $seed, a number for what chance decides.
-- Gives: the table zones (part, zone).
CREATE OR REPLACE TEMP TABLE zones AS
SELECT
    class_costs.part,
    row_number() OVER (
        ORDER BY [LIST_OF(class_costs.sort_low >> sort_shift)], hash(class_costs.part + $seed), class_costs.part
    ) // $classes AS zone
FROM class_costs
ANTI JOIN (SELECT part FROM standing WHERE is_alone) AS alone ON alone.part = class_costs.part
