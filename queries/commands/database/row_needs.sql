-- Answers: which facts of a person must be kept for a row of a table to be released, by a key that other tables go
-- through: its own, and those of the rows that it goes through itself. One of both lists may be empty.
-- Reads: table_rows, the rows of the table (own_key, fact_key, person); fact_mapping, of each column of facts its
-- mapping table (value, level_0); leaf_leaves, its facts (leaf, fact_code); above_needs, what rows need of the table
-- that the rows go through (key, needed).
-- Takes: own_key, the key; fact_key and fact_code, of each column of facts its key and the name of its code;
-- leaf_number, the fact of a row; above_column, the column by which rows go through the other table; above_needed, what
-- its row needs.
-- Gives: the table needs (key, needed), needed a list of facts.
CREATE OR REPLACE TEMP TABLE needs AS
SELECT CAST(own_key AS VARCHAR) AS key, flatten([LIST_OF([leaf_number]), LIST_OF(above_needed)]) AS needed
FROM table_rows
LEFT JOIN fact_mapping ON fact_mapping.value IS NOT DISTINCT FROM table_rows.fact_key
JOIN leaf_leaves ON leaf_leaves.fact_code = fact_mapping.level_0
JOIN above_needs ON above_needs.key = CAST(above_column AS VARCHAR)
WHERE table_rows.person IS NOT NULL
