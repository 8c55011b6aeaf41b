-- The entities whose rows share a combination of quasi-identifier values, beside their positions.
CREATE OR REPLACE TEMP TABLE holders AS
SELECT qi_leaf, entity, CAST(sum(row_count) AS BIGINT) AS row_count
FROM records
GROUP BY qi_leaf, entity
