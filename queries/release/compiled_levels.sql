-- Answers: the release of a lattice node as one statement over the source, each row by its generalized values. Values
-- that the mapping tables do not have were not there when it was searched: their rows are left out.
-- Reads: source_rows, the rows that take part (the statement begins with them); qi_mapping, a quasi-identifier's value
-- with what is released of it and the code of that; listed_violating, the classes that violate a model by the numbers
-- of these codes, where models judged the classes or the statement runs at once; shown_values, what classes show of
-- columns that are aggregated, by such numbers.
-- Takes: group_column and group_carried, where groups of rows are left out together, what the listed classes and the
-- rows call the group (an equality of texts is joined by a hash everywhere); out_value, out_column, out_released and
-- out_name, what a column holds, is called on the way, becomes and is called in the end; class_value and class_column,
-- the codes of quasi-identifiers or, where classes are listed, numbers that each stand for the codes of several;
-- number_value and number_column, such numbers where classes show aggregates; qi_key, what source_rows calls a
-- quasi-identifier; violates, whether a row's class is left out or masked (by a count beside each row, where classes of
-- too few rows are); judged is left out where no class is; is_kept, which rows stay; sort_key, the order.
-- Gives: the released rows under their real names.
WITH generalized AS (
    SELECT
        out_value AS out_column,
        class_value AS class_column,
        number_value AS number_column
    FROM source_rows
    LEFT JOIN qi_mapping ON qi_mapping.value = source_rows.qi_key
    WHERE (source_rows.qi_key IS NULL OR qi_mapping.value IS NOT NULL)
),
judged AS (
    SELECT
        out_column,
        number_column,
        CASE WHEN violates THEN 1 ELSE 0 END AS left_out
    FROM generalized
    LEFT JOIN listed_violating
        ON listed_violating.class_column = generalized.class_column
        AND coalesce(CAST(listed_violating.group_column AS VARCHAR), '')
            = coalesce(CAST(generalized.group_carried AS VARCHAR), '')
        AND listed_violating.group_column IS NOT DISTINCT FROM generalized.group_carried
),
released AS (
    SELECT out_released AS out_column
    FROM judged
    LEFT JOIN shown_values ON shown_values.number_column = judged.number_column
    WHERE is_kept
)
SELECT out_column AS out_name
FROM released
ORDER BY sort_key
