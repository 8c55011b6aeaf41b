-- Answers: what is kept where whole facts are suppressed, of all persons at once: of those that are rare together with
-- another again and again the one with most such partners for what it is worth, until none is.
-- Reads: kept, the facts that are kept of each person, each by k persons or more (person, fact, worth); pair_counts,
-- how many keep both of two (first_fact, second_fact, persons).
-- Takes: $k.
-- Gives: the table remaining (person, fact, worth).
CREATE OR REPLACE TEMP TABLE remaining AS
WITH RECURSIVE worths AS (
    SELECT fact, CAST(sum(worth) AS DOUBLE) AS worth
    FROM kept
    GROUP BY fact
),

steps AS (
    SELECT
        unnest([first_fact, second_fact]) AS fact,
        unnest([second_fact, first_fact]) AS partner
    FROM pair_counts
    WHERE persons < $k
    UNION ALL (
        WITH partners AS (
            SELECT fact, partner
            FROM steps
            WHERE partner IS NOT NULL
        ),

        victim AS (
            SELECT arg_max(fact, {'weight': weight, 'fact': fact}) AS fact
            FROM (
                SELECT partners.fact, count(*) / any_value(worths.worth) AS weight
                FROM partners
                JOIN worths ON worths.fact = partners.fact
                GROUP BY partners.fact
            ) AS weighed
        )

        SELECT partners.fact, partners.partner
        FROM partners
        CROSS JOIN victim
        WHERE partners.fact <> victim.fact AND partners.partner <> victim.fact
        UNION ALL
        -- A fact that goes stands without partner.
        SELECT fact, CAST(NULL AS BIGINT) AS partner
        FROM victim
        WHERE fact IS NOT NULL
    )
)

SELECT kept.person, kept.fact, kept.worth
FROM kept
ANTI JOIN (
    SELECT fact
    FROM steps
    WHERE partner IS NULL
) AS gone ON gone.fact = kept.fact
