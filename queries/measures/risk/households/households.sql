-- Answers: the households with the smallest class, and the fewest persons of the population, under which one of their
-- rows falls, and the probabilities that none of their rows is found, by classes and by persons, if rows are found
-- independently. A row that names no household is one of its own.
-- Reads: members, the rows by household and values (qi_name, holder_name, row_count); numbered, the classes with their
-- numbers (id, qi_name, row_count); sized_classes, the classes with the persons who fall under them (id, persons).
-- Takes: holder_name, the column of households; qi_name, of each quasi-identifier the column of its values.
-- Gives: the table risk_households (household_count, row_count, size, persons, none_found, none_named).
CREATE OR REPLACE TEMP TABLE kanon.risk_households AS
WITH placed AS (
    SELECT
        members.holder_name AS household,
        members.row_count,
        numbered.row_count AS size,
        sized_classes.persons,
        1 - CAST(1 AS DOUBLE) / numbered.row_count AS none_found,
        1 - CAST(1 AS DOUBLE) / sized_classes.persons AS none_named
    FROM members
    JOIN numbered ON numbered.qi_name IS NOT DISTINCT FROM members.qi_name
    JOIN sized_classes ON sized_classes.id = numbered.id
)

SELECT
    CAST(1 AS BIGINT) AS household_count,
    CAST(sum(row_count) AS BIGINT) AS row_count,
    min(size) AS size,
    min(persons) AS persons,
    product(power(none_found, row_count)) AS none_found,
    product(power(none_named, row_count)) AS none_named
FROM placed
WHERE household IS NOT NULL
GROUP BY household
UNION ALL
SELECT
    row_count AS household_count,
    CAST(1 AS BIGINT) AS row_count,
    size,
    persons,
    none_found,
    none_named
FROM placed
WHERE household IS NULL
