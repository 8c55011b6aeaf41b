-- Answers: a world in which the same is released: sensitive values dealt out anew within each released class.
-- Reads: persons, the rows with their classes (person, class, cell, is_released, qi_leaf, value_code).
-- Takes: qi_leaf, of each quasi-identifier the column of its codes; value_code, of each sensitive column that of its
-- codes; $seed, what draws the world.
-- Gives: the table records (cell, qi_leaf, value_code, row_count).
CREATE OR REPLACE TEMP TABLE records AS
SELECT cell, qi_leaf, value_code, count(*) AS row_count
FROM (
    SELECT places.cell, places.qi_leaf, dealt.value_code
    FROM (
        SELECT class, cell, qi_leaf, row_number() OVER (PARTITION BY class ORDER BY person) AS place
        FROM persons
        WHERE is_released
    ) AS places
    JOIN (
        SELECT
            class,
            value_code,
            row_number() OVER (PARTITION BY class ORDER BY md5(concat(person, ' ', $seed)), person) AS place
        FROM persons
        WHERE is_released
    ) AS dealt ON dealt.class = places.class AND dealt.place = places.place
    UNION ALL
    SELECT cell, qi_leaf, value_code
    FROM persons
    WHERE NOT is_released
) AS dealt_out
GROUP BY cell, qi_leaf, value_code
