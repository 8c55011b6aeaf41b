-- Answers: the facts that a table tells, as they are: the combinations of its values in the columns of facts.
-- Reads: table_rows, the rows of the table (fact_key, person); fact_mapping, of each column its mapping table (value,
-- level_0).
-- Takes: fact_key, of each column its key; fact_code, the name of its code; $first, the number of facts before.
-- Gives: the table leaves (leaf, fact_code), numbered behind $first.
CREATE OR REPLACE TEMP TABLE leaves AS
SELECT CAST($first AS BIGINT) + row_number() OVER (ORDER BY [LIST_OF(CAST(fact_code AS BIGINT))]) AS leaf, fact_code
FROM (
    SELECT fact_mapping.level_0 AS fact_code
    FROM table_rows
    LEFT JOIN fact_mapping ON fact_mapping.value IS NOT DISTINCT FROM table_rows.fact_key
    WHERE person IS NOT NULL
    GROUP BY fact_mapping.level_0
) AS combinations
