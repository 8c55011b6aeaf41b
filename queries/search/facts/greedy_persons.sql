-- Answers: what is kept where one person after another suppresses facts of her own: of those that are in rare pairs
-- again and again the one in most of them, weighed by the square root of how many persons keep it and by its worth. Who
-- comes later counts what others have suppressed; persons take turns until nothing is rare.
-- Reads: kept, the facts that are kept of each person (person, fact, worth).
-- Takes: $k.
-- Gives: the table remaining (person, fact, worth).
CREATE OR REPLACE TEMP TABLE remaining AS
WITH RECURSIVE steps AS (
    SELECT person, fact, worth, CAST(0 AS BIGINT) AS turn, FALSE AS is_gone
    FROM kept
    UNION ALL (
        WITH left_facts AS (
            SELECT person, fact, worth, turn, count(*) OVER (PARTITION BY fact) AS persons
            FROM steps
            WHERE NOT is_gone
        ),

        shared AS (
            SELECT
                left_facts.person,
                left_facts.fact,
                count(*) OVER (PARTITION BY left_facts.fact, partners.fact) AS persons
            FROM left_facts
            JOIN left_facts AS partners ON partners.person = left_facts.person AND partners.fact <> left_facts.fact
        ),

        in_rare_pairs AS (
            SELECT person, fact, count(*) AS rare
            FROM shared
            WHERE persons < $k
            GROUP BY person, fact
        ),

        -- Facts that became rare alone go first, out of turn.
        victim AS (
            SELECT
                arg_max(
                    {
                        'person': left_facts.person,
                        'fact': left_facts.fact,
                        'turn': CASE WHEN left_facts.persons < $k THEN left_facts.turn ELSE left_facts.person END
                    },
                    {
                        'is_rare': left_facts.persons < $k,
                        'is_ahead': left_facts.person >= left_facts.turn,
                        'next': -left_facts.person,
                        'weight': coalesce(in_rare_pairs.rare, 0) / sqrt(CAST(left_facts.persons AS DOUBLE))
                        / (left_facts.worth / 1000000.0),
                        'fact': left_facts.fact
                    }
                ) AS chosen
            FROM left_facts
            LEFT JOIN in_rare_pairs
                ON in_rare_pairs.person = left_facts.person AND in_rare_pairs.fact = left_facts.fact
            WHERE left_facts.persons < $k OR in_rare_pairs.rare IS NOT NULL
        )

        SELECT
            left_facts.person,
            left_facts.fact,
            left_facts.worth,
            victim.chosen.turn AS turn,
            left_facts.person = victim.chosen.person AND left_facts.fact = victim.chosen.fact AS is_gone
        FROM left_facts
        CROSS JOIN victim
        WHERE victim.chosen IS NOT NULL
    )
)

SELECT kept.person, kept.fact, kept.worth
FROM kept
ANTI JOIN (
    SELECT person, fact
    FROM steps
    WHERE is_gone
) AS gone ON gone.person = kept.person AND gone.fact = kept.fact
