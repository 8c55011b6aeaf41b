-- Answers: built-in intervals of decimal numbers: 43.5 lies in [40, 45), without the upper bound. Bounds are written
-- out of their units, with as few decimals as they need.
-- Reads: interval_units, the numbers as whole units (value, text, units).
-- Takes: level_below, of each level the name of its lower bound in units; level_lower and level_upper, of each level
-- the names of the lower and the upper bound; level_name, of each level the name of its column here; level_origin, of
-- each level where its intervals begin; level_width, of each level the width of its intervals; $scale, how many
-- decimals a unit has; $unit, the units of one.
-- Gives: value, text, place, label_0, level_name.
SELECT
    value,
    text,
    units AS place,
    text AS label_0,
    '[' || level_lower || ', ' || level_upper || ')' AS level_name
FROM (
    SELECT
        value,
        text,
        units,
        CASE WHEN level_below < 0 THEN '-' ELSE '' END || CAST(abs(level_below) // unit AS VARCHAR)
        || CASE WHEN abs(level_below) % unit = 0 THEN ''
           ELSE '.' || rtrim(lpad(CAST(abs(level_below) % unit AS VARCHAR), CAST($scale AS INTEGER), '0'), '0')
           END AS level_lower,
        CASE WHEN level_below + level_width < 0 THEN '-' ELSE '' END
        || CAST(abs(level_below + level_width) // unit AS VARCHAR)
        || CASE WHEN abs(level_below + level_width) % unit = 0 THEN ''
           ELSE '.' || rtrim(lpad(CAST(abs(level_below + level_width) % unit AS VARCHAR), CAST($scale AS INTEGER), '0'), '0')
           END AS level_upper
    FROM (
        SELECT
            value,
            text,
            units,
            CAST($unit AS HUGEINT) AS unit,
            units - (((units % level_width) - level_origin) % level_width + level_width) % level_width AS level_below
        FROM interval_units
    ) AS bounds
) AS written
