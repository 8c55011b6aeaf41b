-- Answers: the released rows with a label that stands for one value only.
-- Reads: tuples, the combinations by the codes of every level (item_code, key_code, row_count); item_lone, of each
-- generalized quasi-identifier the labels that stand for one value (code); suppressed_classes, the classes that are not
-- released (key_code, is_suppressed).
-- Takes: item_code, of each generalized quasi-identifier the column of the codes at its level; item_name, a name for
-- it; key_code, the codes that tell classes apart.
-- Gives: any_row, the rows with such a label; item_name, those of each quasi-identifier.
SELECT
    CAST(coalesce(sum(CASE WHEN ANY_OF(item_lone.code IS NOT NULL) THEN tuples.row_count END), 0) AS BIGINT) AS any_row,
    CAST(coalesce(sum(CASE WHEN item_lone.code IS NOT NULL THEN tuples.row_count END), 0) AS BIGINT) AS item_name
FROM tuples
LEFT JOIN item_lone ON item_lone.code = tuples.item_code
LEFT JOIN suppressed_classes ON ALL_OF(suppressed_classes.key_code = tuples.key_code)
WHERE suppressed_classes.is_suppressed IS NULL
