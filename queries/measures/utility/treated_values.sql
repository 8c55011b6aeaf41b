-- Answers: treated values of one column that are released, and that the source does not hold before its treatments:
-- they have their place among its values, and no row.
-- Reads: source, the rows of the source (treated_value, treated_text); release, the rows of the release
-- (released_text); counted_values, the distinct values of the column before its treatments with their rows (value).
-- Takes: treated_value, a treated value; treated_text, its text; released_text, the text that a row of the release has.
-- Gives: further rows of the table counted_values (value, row_count).
INSERT INTO counted_values
SELECT DISTINCT treated_value AS value, 0 AS row_count
FROM source
WHERE
    treated_text IN (SELECT released_text FROM release)
    AND treated_value NOT IN (SELECT value FROM counted_values WHERE value IS NOT NULL)
