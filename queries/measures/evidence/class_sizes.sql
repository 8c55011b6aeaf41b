-- Answers: how many classes have each size, of sizes that were counted elsewhere.
-- Reads: nothing.
-- Takes: $counts, the numbers of classes; $sizes, their sizes.
-- Gives: the table risk_class_sizes (size, persons, class_count).
CREATE OR REPLACE TEMP TABLE kanon.risk_class_sizes AS
SELECT
    unnest(CAST($sizes AS BIGINT[])) AS size,
    CAST(NULL AS BIGINT) AS persons,
    unnest(CAST($counts AS BIGINT[])) AS class_count
