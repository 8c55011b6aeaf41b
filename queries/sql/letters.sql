-- Answers: the letters that a change of case exchanges, one for one, as two texts: what stands at a place of the first
-- becomes what stands there in the second. Half of a pair of UTF-16 is no letter.
-- Reads: range(), the numbers of all letters of Unicode.
-- Takes: changed_letter, a letter in the other case.
-- Gives: letters, others.
SELECT
    string_agg(letter, '' ORDER BY number) AS letters,
    string_agg(other, '' ORDER BY number) AS others
FROM (
    SELECT number, letter, changed_letter AS other
    FROM (
        SELECT range AS number, chr(CAST(range AS INTEGER)) AS letter
        FROM (
            SELECT range FROM range(1, 55296)
            UNION ALL
            SELECT range FROM range(57344, 1114112)
        ) AS counted
    ) AS numbered
    WHERE changed_letter <> letter
) AS changed
