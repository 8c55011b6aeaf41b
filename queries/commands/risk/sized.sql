-- The classes of one combination of levels with the persons of the population that fall under each. Columns in which
-- they are * take no part. A person whose value has no code at the level falls under no class.
INSERT INTO sized_classes
SELECT
    class_steps.size,
    falling.persons
FROM class_steps
LEFT JOIN (
    SELECT
        this_code,
        CAST(sum(row_count) AS BIGINT) AS persons
    FROM population_steps
    GROUP BY this_code
) AS falling ON falling.this_code = class_steps.this_rung
WHERE class_steps.all_level = all_number
