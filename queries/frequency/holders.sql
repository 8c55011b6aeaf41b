-- The entities whose rows share a combination of quasi-identifier values, beside the codes of every level.
CREATE OR REPLACE TEMP TABLE holders AS
SELECT cell_codes.cell_level AS cell_name, counted.entity, counted.row_count
FROM (
    SELECT qi_leaf, entity, CAST(sum(row_count) AS BIGINT) AS row_count
    FROM records
    GROUP BY qi_leaf, entity
) AS counted
JOIN qi_codes ON qi_codes.level_0 = counted.qi_leaf
