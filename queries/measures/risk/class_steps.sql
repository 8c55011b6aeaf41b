-- Answers: the classes by levels and codes instead of values.
-- Reads: class_list, the classes of the table (row_count, qi_name, kept_name); qi_steps, of each quasi-identifier the
-- level of each value (level, rung, value).
-- Takes: kept_name, what else of the classes is kept; qi_level, of each quasi-identifier the column of its level;
-- qi_name, of each quasi-identifier the column of its values; qi_rung, of each quasi-identifier the column of its code
-- at that level.
-- Gives: the table risk_class_steps (qi_level, qi_rung, size, kept_name).
CREATE OR REPLACE TEMP TABLE kanon.risk_class_steps AS
SELECT
    qi_steps.level AS qi_level,
    qi_steps.rung AS qi_rung,
    class_list.row_count AS size,
    class_list.kept_name AS kept_name
FROM class_list
JOIN qi_steps ON qi_steps.value IS NOT DISTINCT FROM CAST(class_list.qi_name AS VARCHAR)
