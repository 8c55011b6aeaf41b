-- Answers: one dimension: the level of the lowest common ancestor of the positions from low to high, and its node
-- there.
-- Reads: spans, spans of positions (this_low, this_high).
-- Takes: level_shift, of each level the shift of a position to its node there; this_high and this_low, of each
-- dimension the least and the greatest position; this_level, of each dimension the names of level and node here;
-- this_lowest, the lowest level that a release may use.
-- Gives: level, node.
SELECT
    greatest(
        this_lowest,
        SUM_OF(CAST((this_low >> level_shift) <> (this_high >> level_shift) AS INTEGER))
    ) AS level,
    this_low >> [LIST_OF(level_shift)][this_level + 1] AS node
FROM spans
