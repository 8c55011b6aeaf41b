-- The classes by levels and codes instead of values.
CREATE OR REPLACE TEMP TABLE class_steps AS
SELECT
    qi_steps.level AS qi_level,
    qi_steps.rung AS qi_rung,
    class_list.row_count AS size
FROM class_list
JOIN qi_steps ON qi_steps.value IS NOT DISTINCT FROM CAST(class_list.qi_name AS VARCHAR)
