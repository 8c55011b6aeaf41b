-- Answers: a set such as {Local-gov, "a, b"} stands for each of its members. Quoted members are read back as they were.
-- Reads: labels, the distinct values of one side (code, bare).
-- Takes: nothing.
-- Gives: further rows of the table points (code, point).
INSERT INTO points
SELECT
    code,
    CASE
        WHEN starts_with(member, '"')
            THEN regexp_replace(substr(member, 2, length(member) - 2), '\\(.)', '\1', 'g')
        ELSE member
    END AS point
FROM (
    SELECT
        code,
        unnest(
            regexp_extract_all(substr(bare, 2, length(bare) - 2) || ', ', '("(?:[^"\\]|\\.)*"|[^,"]*), ', 1)
        ) AS member
    FROM labels
    WHERE starts_with(bare, '{') AND ends_with(bare, '}')
) AS members
