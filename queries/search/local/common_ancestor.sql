-- One dimension: the level of the lowest common ancestor of the positions from low to high, and its node there.
SELECT
    greatest(
        this_lowest,
        SUM_OF(CAST((this_low >> level_shift) <> (this_high >> level_shift) AS INTEGER))
    ) AS level,
    this_low >> [LIST_OF(level_shift)][this_level + 1] AS node
FROM spans
