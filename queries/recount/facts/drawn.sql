-- Answers: of persons who are drawn, and of each some facts that are drawn, how many persons of their class have all
-- of these facts.
-- Reads: fact_lists, the facts of each person in order (person, class, facts).
-- Takes: $known, how many facts are drawn; $attacks, how many persons at most; $seed, what draws them; $k.
-- Gives: one row (persons, alone, below_k, chance): those who were drawn, those whose facts nobody else has, those
-- whose facts fewer than k persons have, and the mean chance of finding the person among all who have them.
WITH
targets AS (
    SELECT person, class, facts
    FROM fact_lists
    WHERE len(facts) >= $known
    ORDER BY md5(concat($seed, ' ', person)), person
    LIMIT $attacks
),
singles AS (SELECT person, class, unnest(facts) AS fact FROM targets),
drawn AS (
    SELECT person, class, fact
    FROM (
        SELECT
            person,
            class,
            fact,
            row_number() OVER (PARTITION BY person ORDER BY md5(concat($seed, ' ', person, ' ', fact)), fact) AS place
        FROM singles
    ) AS places
    WHERE place <= $known
),
holders AS (SELECT person, class, unnest(facts) AS fact FROM fact_lists),
matches AS (
    SELECT drawn.person, holders.person AS holder
    FROM drawn
    JOIN holders ON holders.fact = drawn.fact AND holders.class IS NOT DISTINCT FROM drawn.class
    GROUP BY drawn.person, holders.person
    HAVING count(*) = $known
),
counts AS (SELECT person, count(*) AS persons FROM matches GROUP BY person)
SELECT
    count(*) AS persons,
    count(CASE WHEN persons = 1 THEN 1 END) AS alone,
    count(CASE WHEN persons < $k THEN 1 END) AS below_k,
    sum(CAST(1 AS DOUBLE) / persons ORDER BY persons) / count(*) AS chance
FROM counts
