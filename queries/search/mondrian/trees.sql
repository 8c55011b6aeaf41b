-- Answers: one hierarchy: how far a position is shifted for its node at each level.
-- Reads: nothing.
-- Takes: level_name and level_shift, of each level the column of its shift in trees and the shift; this_dimension, the
-- number of the dimension; this_lowest, the lowest level that a release may use.
-- Gives: dimension, min_level, level_name.
SELECT
    this_dimension AS dimension,
    this_lowest AS min_level,
    level_shift AS level_name
