-- Answers: the values of a hierarchy file in the type of their column: the text that each then has (NULL: it is none of
-- that type), and the position of the first value that is equal to it ('1' and '01' are one integer).
-- Reads: nothing.
-- Takes: typed_value, the value in the type of its column; $count, how many leaves there are; $leaves, the values of
-- the file, as JSON.
-- Gives: text, first_position.
SELECT
    CAST(value AS VARCHAR) AS text,
    CAST(min(position) OVER (PARTITION BY value) AS BIGINT) AS first_position
FROM (
    SELECT position, typed_value AS value
    FROM (
        SELECT
            unnest(CAST(CAST($leaves AS JSON) AS VARCHAR[])) AS leaf,
            unnest(range(CAST($count AS BIGINT))) AS position
    ) AS leaves
) AS typed
ORDER BY position
