-- Answers: how many predicates hold for exactly one row, or where persons have several rows for those of one person:
-- those of which one released row says so, and others; made from released rows, and drawn.
-- Reads: attack_predicates, what an adversary tries (is_random, is_alone, word, bit); attack_hits, the rows that fulfil
-- the same predicates (word_name, row_count, person_least, person_most).
-- Takes: word_name, of each word of bits its name; person_least and person_most, who rows are about; $by_person,
-- whether persons have several rows.
-- Gives: is_alone, is_random, asked, isolated.
SELECT
    attack_predicates.is_alone,
    attack_predicates.is_random,
    count(*) AS asked,
    count(*) FILTER (WHERE found.isolates) AS isolated
FROM kanon.attack_predicates
LEFT JOIN (
    SELECT
        attack_predicates.word,
        attack_predicates.bit,
        CASE
            WHEN $by_person THEN ALL_OF(min(hits.person_least) = max(hits.person_most))
            ELSE sum(hits.row_count) = 1
        END AS isolates
    FROM (SELECT * FROM kanon.attack_hits WHERE ANY_OF(word_name <> 0)) AS hits
    JOIN kanon.attack_predicates
        ON (list_extract([LIST_OF(hits.word_name)], attack_predicates.word + 1) >> attack_predicates.bit) & 1 = 1
    GROUP BY attack_predicates.word, attack_predicates.bit
) AS found ON found.word = attack_predicates.word AND found.bit = attack_predicates.bit
GROUP BY attack_predicates.is_alone, attack_predicates.is_random
