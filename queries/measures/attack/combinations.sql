-- Answers: how many rows of one table share each combination of some of its columns, and the first and the last of the
-- persons whom they are about.
-- Reads: table_rows, a coded frequency table (item_code, person_least, person_most, row_count).
-- Takes: item_code, of each column its codes; person_least and person_most, who rows are about.
-- Gives: item_code, row_count, person_least, person_most.
SELECT
    item_code,
    CAST(sum(row_count) AS BIGINT) AS row_count,
    min(person_least) AS person_least,
    max(person_most) AS person_most
FROM table_rows
GROUP BY item_code
