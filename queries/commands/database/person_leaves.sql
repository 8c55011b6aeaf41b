-- Answers: which facts each person has in a table, each once.
-- Reads: table_rows, the rows of the table (fact_key, person); fact_mapping, of each column of facts its mapping table
-- (value, level_0); leaves, the facts (leaf, fact_code).
-- Takes: fact_key, of each column its key; fact_code, the name of its code.
-- Gives: the table person_leaves (person, leaf).
CREATE OR REPLACE TEMP TABLE person_leaves AS
SELECT table_rows.person, leaves.leaf
FROM table_rows
LEFT JOIN fact_mapping ON fact_mapping.value IS NOT DISTINCT FROM table_rows.fact_key
JOIN leaves ON leaves.fact_code = fact_mapping.level_0
WHERE table_rows.person IS NOT NULL
GROUP BY table_rows.person, leaves.leaf
