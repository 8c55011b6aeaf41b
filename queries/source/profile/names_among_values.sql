-- Answers: of columns how their names compare with their values: how many values are the name itself, how many begin as
-- it does, and with how many characters all of them begin.
-- Reads: profile_values, the distinct values of all columns (position, value).
-- Takes: $positions and $names, the columns; $spellings, texts that are likely missing and left out.
-- Gives: position, same, alike, initials.
SELECT
    value.position,
    count(*) FILTER (WHERE trim(value.value) = trim(named.name)) AS same,
    count(*) FILTER (WHERE left(trim(value.value), 1) = left(trim(named.name), 1)) AS alike,
    count(DISTINCT left(trim(value.value), 1)) AS initials
FROM kanon.profile_values AS value
JOIN (SELECT unnest($positions) AS position, unnest($names) AS name) AS named ON named.position = value.position
WHERE value.value NOT IN (SELECT unnest($spellings))
GROUP BY value.position
