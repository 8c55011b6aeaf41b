-- Answers: which sets of facts of one size tell a sensitive value, as too great a share of the persons who keep the set
-- have it, and which of these persons must lose a fact of it, so many that the share is right: those that come first by
-- a hash, so that it says nothing of a person that she keeps the set.
-- Reads: kept, the facts that are kept of each person (person, fact, worth); member_kept, the same for each further
-- fact of a set; support, of each fact how many persons have it (fact, persons); told, the sensitive values of each
-- person (person, value).
-- Takes: member_previous, of each further fact the one before it, than which it has a greater number; member_fact, its
-- name in the set; $most and $of, the greatest share as a ratio; $draw, the number of a draw.
-- Gives: the table shortages (person, number, fact, cost), one row of each fact of such a set of such a person, cost
-- what suppressing the fact costs, by its persons and its worth.
CREATE OR REPLACE TEMP TABLE shortages AS
WITH
sets AS (
    SELECT kept.person, kept.fact AS first_fact, member_kept.fact AS member_fact
    FROM kept
    JOIN member_kept ON member_kept.person = kept.person AND member_kept.fact > member_previous
),
totals AS (
    SELECT [first_fact, LIST_OF(member_fact)] AS facts, count(*) AS persons
    FROM sets
    GROUP BY first_fact, member_fact
),
told_sets AS (
    SELECT [sets.first_fact, LIST_OF(sets.member_fact)] AS facts, told.value, count(*) AS holders
    FROM sets
    JOIN told ON told.person = sets.person
    GROUP BY sets.first_fact, sets.member_fact, told.value
),
telling AS (
    SELECT
        row_number() OVER (ORDER BY told_sets.facts, told_sets.value) AS number,
        told_sets.facts,
        told_sets.value,
        -- Without so many persons the share is right: the least e with (holders - e) * $of <= $most * (persons - e).
        CAST(
            (CAST(told_sets.holders AS HUGEINT) * $of - CAST(totals.persons AS HUGEINT) * $most + $of - $most - 1)
            // ($of - $most) AS BIGINT
        ) AS excess
    FROM told_sets
    JOIN totals ON totals.facts = told_sets.facts
    WHERE CAST(told_sets.holders AS HUGEINT) * $of > CAST(totals.persons AS HUGEINT) * $most
),
ranked AS (
    SELECT
        sets.person,
        telling.number,
        telling.facts,
        telling.excess,
        row_number() OVER (
            PARTITION BY telling.number ORDER BY hash(sets.person, CAST($draw AS BIGINT)), sets.person
        ) AS place
    FROM sets
    JOIN telling ON telling.facts = [sets.first_fact, LIST_OF(sets.member_fact)]
    JOIN told ON told.person = sets.person AND told.value = telling.value
)
SELECT lacking.person, lacking.number, lacking.fact, CAST(support.persons AS DOUBLE) * kept.worth AS cost
FROM (
    SELECT person, number, unnest(facts) AS fact
    FROM ranked
    WHERE place <= excess
) AS lacking
JOIN kept ON kept.person = lacking.person AND kept.fact = lacking.fact
JOIN support ON support.fact = lacking.fact
