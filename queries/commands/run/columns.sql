-- How many rows there are, and how many distinct values each column holds among them.
SELECT
    count(*) AS row_count,
    count(DISTINCT seen_code) AS seen_values
FROM sample
