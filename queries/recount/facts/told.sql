-- Answers: how many sets of facts tell a sensitive value, as more than a share of the persons of a class who have the
-- set have the value, and the greatest such share of all sets.
-- Reads: sets, the sets of facts of each person (person, class, members); told_values, the sensitive values of each
-- person, each once (person, value).
-- Takes: $most and $of, the share as a ratio.
-- Gives: one row (telling, greatest), greatest NULL where no person with facts has a value.
WITH
chosen AS (
    SELECT person, class, members
    FROM sets
),
totals AS (
    SELECT class, members, count(*) AS persons
    FROM chosen
    GROUP BY class, members
),
holders AS (
    SELECT chosen.class, chosen.members, told_values.value, count(*) AS persons
    FROM chosen
    JOIN told_values ON told_values.person = chosen.person
    GROUP BY chosen.class, chosen.members, told_values.value
)
SELECT
    count(CASE WHEN CAST(holders.persons AS HUGEINT) * $of > CAST(totals.persons AS HUGEINT) * $most THEN 1 END) AS telling,
    max(CAST(holders.persons AS DOUBLE) / totals.persons) AS greatest
FROM holders
JOIN totals ON totals.members = holders.members AND totals.class IS NOT DISTINCT FROM holders.class
