-- Answers: built-in intervals of decimal numbers: 43.5 lies in [40, 45), without the upper bound. Below $bottom and
-- from $top on there is one interval each; those that they cut say where they are cut. Bounds are written out of their
-- units, with as few decimals as they need.
-- Reads: interval_units, the numbers as whole units (value, text, units).
-- Takes: level_above and level_below, of each level the names of its bounds in units; level_lower and level_upper, of
-- each level the names of the lower and the upper bound as texts; level_name, of each level the name of its column
-- here; level_origin, of each level where its intervals begin; level_width, of each level the width of its intervals;
-- $bottom and $top, where the open ends begin, in units, NULL for none; $bottom_label and $top_label, their labels;
-- $scale, how many decimals a unit has; $unit, the units of one.
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
        ELSE '[' || level_lower || ', ' || level_upper || ')'
    END AS level_name
FROM (
    SELECT
        value,
        text,
        units,
        bottom,
        top,
        CASE WHEN level_below < 0 THEN '-' ELSE '' END || CAST(abs(level_below) // unit AS VARCHAR)
        || CASE WHEN abs(level_below) % unit = 0 THEN ''
           ELSE '.' || rtrim(lpad(CAST(abs(level_below) % unit AS VARCHAR), CAST($scale AS INTEGER), '0'), '0')
           END AS level_lower,
        CASE WHEN level_above < 0 THEN '-' ELSE '' END || CAST(abs(level_above) // unit AS VARCHAR)
        || CASE WHEN abs(level_above) % unit = 0 THEN ''
           ELSE '.' || rtrim(lpad(CAST(abs(level_above) % unit AS VARCHAR), CAST($scale AS INTEGER), '0'), '0')
           END AS level_upper
    FROM (
        SELECT
            value,
            text,
            units,
            unit,
            bottom,
            top,
            greatest(level_below, coalesce(bottom, level_below)) AS level_below,
            least(level_below + level_width, coalesce(top, level_below + level_width)) AS level_above
        FROM (
            SELECT
                value,
                text,
                units,
                CAST($unit AS HUGEINT) AS unit,
                CAST($bottom AS HUGEINT) AS bottom,
                CAST($top AS HUGEINT) AS top,
                units - (((units % level_width) - level_origin) % level_width + level_width) % level_width AS level_below
            FROM kanon.interval_units
        ) AS bounds
    ) AS cut
) AS written
