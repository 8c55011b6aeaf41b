-- One dimension of numbers or dates: each class as its range. Missing values beside others are said, alone they are
-- released as they are. A range that begins with missing values has no lower bound.
CREATE OR REPLACE TEMP TABLE labels AS
SELECT
    classes.part,
    CASE
        WHEN classes.this_first IS NULL THEN CAST($missing AS VARCHAR)
        WHEN classes.this_first = classes.this_high THEN lower_place.label
        ELSE lower_place.label || $between || upper_place.label
    END
    || CASE WHEN classes.this_first > classes.this_low THEN ' or missing' ELSE '' END AS label,
    CASE WHEN classes.this_low > 0 THEN lower_place.bound END AS lower_bound,
    CASE WHEN classes.this_high > 0 THEN upper_place.bound END AS upper_bound,
    CASE WHEN classes.this_first IS NULL THEN 0.0 ELSE upper_place.measure - lower_place.measure END AS cost
FROM classes
LEFT JOIN places AS lower_place ON lower_place.position = classes.this_first
LEFT JOIN places AS upper_place ON upper_place.position = classes.this_high
