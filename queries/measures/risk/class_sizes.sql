-- Answers: how many classes have each size (f), and each number of persons of the population that fall under them (F).
-- Reads: sized_classes, the classes with the persons that fall under them (size, persons).
-- Takes: nothing.
-- Gives: the table risk_class_sizes (size, persons, class_count).
CREATE OR REPLACE TEMP TABLE kanon.risk_class_sizes AS
SELECT
    size,
    persons,
    CAST(count(*) AS BIGINT) AS class_count
FROM sized_classes
GROUP BY size, persons
