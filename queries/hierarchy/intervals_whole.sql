-- Built-in intervals where all numbers, widths and the origin are integers: 43 lies in 40-44, the last included.
-- The remainder is taken twice since % keeps the sign of what it divides.
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
