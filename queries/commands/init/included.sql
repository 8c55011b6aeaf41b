-- Answers: how many of the values of a column are values of another table's key.
-- Reads: table_rows, the rows of a table (link_value); key_rows, those of the table with the key (key_value).
-- Takes: link_value, the column; key_value, the key; both are compared as texts, as files differ in types.
-- Gives: different, the different values of the column; included, those of them that are values of the key.
SELECT
    count(*) AS different,
    count(keys.key_text) AS included
FROM (
    SELECT DISTINCT CAST(link_value AS VARCHAR) AS link_text
    FROM table_rows
    WHERE link_value IS NOT NULL
) AS links
LEFT JOIN (
    SELECT DISTINCT CAST(key_value AS VARCHAR) AS key_text
    FROM key_rows
) AS keys ON keys.key_text = links.link_text
