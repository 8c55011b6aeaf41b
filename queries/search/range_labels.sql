-- Answers: one dimension of numbers or dates: each class as its range. Missing values beside others are said, alone
-- they are released as they are. A range that begins with missing values has no lower bound.
-- Reads: classes, the classes by the least and the greatest position of each dimension (part, this_first, this_high,
-- this_low); places, a row for each position of a dimension (position, bound, measure, label).
-- Takes: this_first, of each dimension the least position that is no missing value; this_high and this_low, of each
-- dimension the least and the greatest position; $between, what stands between the ends of a range; $missing, the label
-- of missing values.
-- Gives: the table labels (part, label, lower_bound, upper_bound, cost).
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
