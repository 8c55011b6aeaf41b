-- How many classes have each size (f), and each number of persons of the population that fall under them (F).
CREATE OR REPLACE TEMP TABLE class_sizes AS
SELECT
    size,
    persons,
    CAST(count(*) AS BIGINT) AS class_count
FROM sized_classes
GROUP BY size, persons
