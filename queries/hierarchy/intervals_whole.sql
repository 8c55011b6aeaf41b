-- Answers: built-in intervals where all numbers, widths and bounds are integers: 43 lies in 40-44, the last included.
-- Below $bottom and from $top on there is one interval each; those that they cut say where they are cut. The remainder
-- is taken twice since % keeps the sign of what it divides.
-- Reads: interval_units, the numbers as whole units (value, text, units).
-- Takes: level_lower, of each level the names of the lower and the upper bound; level_name, of each level the name of
-- its column here; level_origin, of each level where its intervals begin; level_width, of each level the width of its
-- intervals; $bottom and $top, where the open ends begin, in units, NULL for none; $bottom_label and $top_label, their
-- labels.
-- Gives: value, text, place, label_0, level_name.
SELECT
    value,
    text,
    units AS place,
    text AS label_0,
    CASE
        WHEN units IS NULL THEN NULL
        WHEN units < bottom THEN $bottom_label
        WHEN units >= top THEN $top_label
        ELSE CAST(greatest(level_lower, coalesce(bottom, level_lower)) AS VARCHAR) || '-'
            || CAST(least(level_lower + level_width, coalesce(top, level_lower + level_width)) - 1 AS VARCHAR)
    END AS level_name
FROM (
    SELECT
        value,
        text,
        units,
        CAST($bottom AS HUGEINT) AS bottom,
        CAST($top AS HUGEINT) AS top,
        units - (((units % level_width) - level_origin) % level_width + level_width) % level_width AS level_lower
    FROM kanon.interval_units
) AS bounds
