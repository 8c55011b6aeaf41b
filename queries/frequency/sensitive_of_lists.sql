-- Answers: a sensitive column of which rows hold several values: how many rows hold each, beside the quasi-identifiers.
-- Reads: lists, the rows by the numbers of their lists (cell_name, value, row_count); listed, the values of each list
-- (list, value).
-- Takes: cell_name, the columns of codes or positions of the quasi-identifiers.
-- Gives: the table sensitive (cell_name, value, row_count).
CREATE OR REPLACE TEMP TABLE sensitive AS
SELECT lists.cell_name, listed.value, CAST(sum(lists.row_count) AS BIGINT) AS row_count
FROM lists
JOIN listed ON listed.list = lists.value
GROUP BY lists.cell_name, listed.value
