-- Answers: how many values a column has, and how many of them share their pseudonym with another one.
-- Reads: source, the rows of the source.
-- Takes: text_value, a value as text, NULL where it is missing; pseudonym_value, what is released of original.
-- Gives: different, colliding.
SELECT count(*) AS different, count(*) - count(DISTINCT pseudonym_value) AS colliding
FROM (
    SELECT text_value AS original
    FROM source
    GROUP BY text_value
) AS texts
WHERE original IS NOT NULL
