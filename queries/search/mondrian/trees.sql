-- One hierarchy: how far a position is shifted for its node at each level.
SELECT
    this_dimension AS dimension,
    this_lowest AS min_level,
    level_shift AS level_name
