-- Answers: which rare pairs of facts each person of one turn keeps, as shortages_of_pairs, and what it costs others
-- that she loses a fact: of its other pairs that just enough persons keep the next to lose one makes it rare.
-- Reads: rare, the rare pairs (number, pair); kept, the facts that are kept of each person (person, fact, worth);
-- support, of each fact how many persons have it (fact, persons); pair_counts, how many keep both of two (first_fact,
-- second_fact, persons); guarded, facts of persons that stay (person, fact).
-- Takes: $k; $turn and $turns, the persons whose turn it is.
-- Gives: the table shortages (person, number, fact, cost), a row of each fact of a pair that may go.
CREATE OR REPLACE TEMP TABLE shortages AS
WITH
lacking AS (
    SELECT pairs.person, pairs.number, pairs.fact, pairs.worth
    FROM (
        SELECT
            kept.person,
            rare.number,
            unnest([kept.fact, other_kept.fact]) AS fact,
            unnest([kept.worth, other_kept.worth]) AS worth
        FROM kept
        JOIN kept AS other_kept ON other_kept.person = kept.person AND other_kept.fact > kept.fact
        JOIN rare ON rare.pair = kept.fact * 4294967296 + other_kept.fact
        WHERE kept.person % $turns = $turn
    ) AS pairs
    ANTI JOIN guarded ON guarded.person = pairs.person AND guarded.fact = pairs.fact
),
-- Whole numbers, so that a sum is the same whatever the order.
harms AS (
    SELECT loose.person, loose.fact, CAST(sum(1000000 // (pair_counts.persons - $k + 1)) AS BIGINT) AS harm
    FROM (
        SELECT person, fact
        FROM lacking
        GROUP BY person, fact
    ) AS loose
    JOIN kept ON kept.person = loose.person
    JOIN pair_counts
        ON pair_counts.first_fact = least(loose.fact, kept.fact)
        AND pair_counts.second_fact = greatest(loose.fact, kept.fact)
        AND pair_counts.persons >= $k
    GROUP BY loose.person, loose.fact
)
SELECT
    lacking.person,
    lacking.number,
    lacking.fact,
    sqrt(CAST(support.persons AS DOUBLE)) * lacking.worth * (1 + coalesce(harms.harm, 0) / 1000000.0) AS cost
FROM lacking
JOIN support ON support.fact = lacking.fact
LEFT JOIN harms ON harms.person = lacking.person AND harms.fact = lacking.fact
