-- Answers: the rows of a table that are released, with new keys and the facts at the levels that were chosen. Parts
-- that a table does not need are left out by an empty list.
-- Reads: table_rows, the rows of the table (own columns, person); owner_persons, who is released (person,
-- is_released); through_kept, the keys that are released of the table that the rows go through (key); fact_mapping, of
-- each column of facts its mapping table (value, level_0); leaf_leaves, its facts (leaf, fact_code); leaf_kept, the
-- facts that are kept of each person (person, leaf); key_map, of each column that joins tables the new values (key).
-- Takes: out_value and out_name, of each column its released value and its name; through_column, the column by which
-- rows go through another table; fact_key and fact_code, of each column of facts its key and the name of its code;
-- leaf_number, the fact of a row; key_column, the column of a key; sort_key, the order.
-- Gives: rows (out_name).
SELECT out_value AS out_name
FROM table_rows
JOIN owner_persons ON owner_persons.person = table_rows.person AND owner_persons.is_released
JOIN through_kept ON through_kept.key = CAST(through_column AS VARCHAR)
LEFT JOIN fact_mapping ON fact_mapping.value IS NOT DISTINCT FROM table_rows.fact_key
JOIN leaf_leaves ON leaf_leaves.fact_code = fact_mapping.level_0
JOIN leaf_kept ON leaf_kept.person = table_rows.person AND leaf_kept.leaf = leaf_number
LEFT JOIN key_map ON key_map.key = CAST(key_column AS VARCHAR)
ORDER BY sort_key
