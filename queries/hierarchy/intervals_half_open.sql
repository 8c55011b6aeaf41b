-- Built-in intervals of decimal numbers: 43.5 lies in [40, 45), without the upper bound. Bounds are written out of
-- their units, with as few decimals as they need.
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
