-- Answers: a table as it stands: its rows, its equivalence classes (NULL is a value), the smallest and the largest of
-- them, and those that violate k or a model. Where asked for, rows with * in every quasi-identifier are counted apart.
-- Reads: judged, each class by k and by each model: qi_value, size, holders, violates; model_measured, what the classes
-- reach of a model: measure, violates.
-- Takes: $apart, whether rows of * are counted apart; model_least, model_most and model_violating, names of the columns
-- of a model.
-- Gives: one row: the counts, then the least and the greatest measure of each model, and how many classes violate it.
SELECT
    CAST(coalesce(sum(size), 0) AS BIGINT) AS all_rows,
    count(CASE WHEN NOT starred THEN 1 END) AS classes,
    coalesce(min(CASE WHEN NOT starred THEN size END), 0) AS smallest,
    coalesce(max(CASE WHEN NOT starred THEN size END), 0) AS largest,
    CAST(coalesce(sum(CASE WHEN starred THEN size END), 0) AS BIGINT) AS starred_rows,
    count(CASE WHEN violates THEN 1 END) AS violating_classes,
    CAST(coalesce(sum(CASE WHEN violates THEN size END), 0) AS BIGINT) AS violating_rows,
    count(CASE WHEN size = 1 THEN 1 END) AS unique_rows,
    coalesce(min(holders), 0) AS fewest_holders,
    (SELECT min(measure) FROM model_measured) AS model_least,
    (SELECT max(measure) FROM model_measured) AS model_most,
    (SELECT count(CASE WHEN violates THEN 1 END) FROM model_measured) AS model_violating
FROM (
    SELECT
        CAST(max(size) AS BIGINT) AS size,
        CAST(max(holders) AS BIGINT) AS holders,
        max(CASE WHEN violates THEN 1 ELSE 0 END) = 1 AS violates,
        $apart AND ALL_OF(coalesce(CAST(qi_value AS VARCHAR), '') = '*') AS starred
    FROM judged
    GROUP BY qi_value
    HAVING max(size) > 0
) AS classes
