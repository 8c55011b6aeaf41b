-- Answers: built-in intervals where all numbers, widths and the origin are integers: 43 lies in 40-44, the last
-- included. The remainder is taken twice since % keeps the sign of what it divides.
-- Reads: interval_units, the numbers as whole units (value, text, units).
-- Takes: level_lower, of each level the names of the lower and the upper bound; level_name, of each level the name of
-- its column here; level_origin, of each level where its intervals begin; level_width, of each level the width of its
-- intervals.
-- Gives: value, text, place, label_0, level_name.
SELECT
    value,
    text,
    units AS place,
    text AS label_0,
    CAST(level_lower AS VARCHAR) || '-' || CAST(level_lower + level_width - 1 AS VARCHAR) AS level_name
FROM (
    SELECT
        value,
        text,
        units,
        units - (((units % level_width) - level_origin) % level_width + level_width) % level_width AS level_lower
    FROM interval_units
) AS bounds
