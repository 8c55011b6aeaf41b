-- Answers: one dimension of texts: each class as the set of values that it holds. Members that could be misread are
-- quoted.
-- Reads: classes, the classes by the least and the greatest position of each dimension (part, this_first, this_high,
-- this_low); places, a row for each position of a dimension (label, position); assigned, the tuples of each class
-- (part, this_position).
-- Takes: this_first, of each dimension the least position that is no missing value; this_high and this_low, of each
-- dimension the least and the greatest position; this_position, of each dimension the column of positions; $missing,
-- the label of missing values; $values, how many values the dimension has.
-- Gives: the table labels (part, label, cost).
CREATE OR REPLACE TEMP TABLE labels AS
SELECT
    classes.part,
    CASE
        WHEN classes.this_first IS NULL THEN CAST($missing AS VARCHAR)
        WHEN classes.this_first = classes.this_high THEN members.only_label
        ELSE '{' || members.set_label || '}'
    END
    || CASE WHEN classes.this_first > classes.this_low THEN ' or missing' ELSE '' END AS label,
    CASE WHEN classes.this_first IS NULL THEN 0.0 ELSE (members.count - 1) / CAST(greatest($values - 1, 1) AS DOUBLE) END
        AS cost
FROM classes
LEFT JOIN (
    SELECT
        present.part,
        count(*) AS count,
        min(places.label) AS only_label,
        string_agg(
            CASE
                WHEN regexp_matches(places.label, '[,{}"\\]') OR places.label = ''
                    THEN '"' || replace(replace(places.label, '\', '\\'), '"', '\"') || '"'
                ELSE places.label
            END,
            ', ' ORDER BY present.position
        ) AS set_label
    FROM (SELECT DISTINCT part, CAST(this_position AS BIGINT) AS position FROM assigned) AS present
    JOIN places ON places.position = present.position
    WHERE present.position > 0
    GROUP BY present.part
) AS members ON members.part = classes.part
