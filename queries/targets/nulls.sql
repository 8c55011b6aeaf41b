-- How many rows of a table hold NULL in a column.
SELECT count(*) FROM table_rows WHERE column_name IS NULL
