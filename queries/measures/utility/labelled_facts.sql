-- Answers: the facts that persons have in a table of the source, as a release tells them that has these labels.
-- Reads: table_rows, the rows of the table (person, fact_key); fact_mapping, of each column of facts its mapping table
-- (value, labels).
-- Takes: table_name, fact_key, of each column its key; fact_label, its value or label, as text.
-- Gives: rows (person, fact), several times where rows repeat them.
SELECT table_rows.person, CAST(to_json([table_name, LIST_OF(fact_label)]) AS VARCHAR) AS fact
FROM table_rows
LEFT JOIN fact_mapping ON fact_mapping.value IS NOT DISTINCT FROM table_rows.fact_key
