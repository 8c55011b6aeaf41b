-- Answers: which facts the rows of a table tell, and which others must be kept for such a row to be released: those of
-- the rows that it goes through.
-- Reads: table_rows, the rows of the table (fact_key, through_key, person); fact_mapping, of each column of facts its
-- mapping table (value, level_0); leaves, its facts (leaf, fact_code); needs, what rows need of the table that the rows
-- go through (key, needed).
-- Takes: fact_key and fact_code, of each column of facts its key and the name of its code; through_key, the column by
-- which rows go through the other table.
-- Gives: the table carriers (person, leaf, needed), needed a list of facts.
CREATE OR REPLACE TEMP TABLE carriers AS
SELECT table_rows.person, leaves.leaf, needs.needed
FROM table_rows
LEFT JOIN fact_mapping ON fact_mapping.value IS NOT DISTINCT FROM table_rows.fact_key
JOIN leaves ON leaves.fact_code = fact_mapping.level_0
JOIN needs ON needs.key = CAST(table_rows.through_key AS VARCHAR)
WHERE table_rows.person IS NOT NULL
GROUP BY table_rows.person, leaves.leaf, needs.needed
