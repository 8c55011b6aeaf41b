-- Answers: how many classes have each size (f), and each sum of the weights of their rows: the persons of the
-- population (F) for whom they stand. NULL is a value.
-- Reads: source, the rows of the table (item_value, weight_number).
-- Takes: item_value, of each quasi-identifier its value; weight_number, the weight of a row.
-- Gives: the table risk_weighted_classes (size, persons, class_count).
CREATE OR REPLACE TEMP TABLE kanon.risk_weighted_classes AS
SELECT
    size,
    persons,
    CAST(count(*) AS BIGINT) AS class_count
FROM (
    SELECT
        CAST(count(*) AS BIGINT) AS size,
        CAST(sum(weight_number) AS DOUBLE) AS persons
    FROM source
    GROUP BY item_value
) AS classes
GROUP BY size, persons
