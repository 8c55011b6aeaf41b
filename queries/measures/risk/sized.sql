-- Answers: the classes of one combination of levels with the persons of the population that fall under each. Columns in
-- which they are * take no part. A person whose value has no code at the level falls under no class.
-- Reads: risk_class_steps, the classes with the level of each value (size, this_rung, all_level, kept_name);
-- risk_population_steps, the persons by the codes of every level (this_code, row_count).
-- Takes: kept_name, what else of the classes is kept; all_level, of each column the level of a class; all_number, of
-- each column the level that is counted; this_code, of each generalized column the code of persons; this_rung, of each
-- generalized column the code of the class.
-- Gives: further rows of the table sized_classes (size, persons, kept_name).
INSERT INTO sized_classes
SELECT
    risk_class_steps.size,
    falling.persons,
    risk_class_steps.kept_name AS kept_name
FROM kanon.risk_class_steps
LEFT JOIN (
    SELECT
        this_code,
        CAST(sum(row_count) AS BIGINT) AS persons
    FROM kanon.risk_population_steps
    GROUP BY this_code
) AS falling ON falling.this_code = risk_class_steps.this_rung
WHERE risk_class_steps.all_level = all_number
