-- Answers: whether a column is the number of its row, from 0 or 1 on: a name that the table gives, not one that a
-- person has elsewhere.
-- Reads: source, the rows of the source (number_value).
-- Takes: nothing.
-- Gives: is_numbering.
SELECT
    min(number_value) IN (0, 1)
    AND max(number_value) <= count(*)
    AND count(DISTINCT number_value) = count(*) AS is_numbering
FROM source
