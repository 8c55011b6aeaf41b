-- Answers: for each value of one column the predicates whose label stands for it, as bits of words.
-- Reads: attack_predicates, what an adversary tries (this_code, word, bit); runs, what each label stands for as runs of
-- ranks (code, first, last); ranks, the domain of the column rank by rank (rank).
-- Takes: this_code, the column of codes; word_name and word_number, of each word its name and its number.
-- Gives: the table masks (rank, word_name).
CREATE OR REPLACE TEMP TABLE masks AS
WITH wanted AS (
    SELECT runs.first, runs.last, asked.word_name
    FROM (
        SELECT
            this_code AS code,
            bit_or(CASE WHEN word = word_number THEN CAST(1 AS HUGEINT) << bit ELSE CAST(0 AS HUGEINT) END) AS word_name
        FROM kanon.attack_predicates
        GROUP BY this_code
    ) AS asked
    JOIN runs ON runs.code = asked.code
)

SELECT rank, bit_or(word_name) AS word_name
FROM (
    -- Of a column that is released as it is no label takes a join with all of its values.
    SELECT first AS rank, word_name
    FROM wanted
    WHERE first = last
    UNION ALL
    SELECT ranks.rank, wanted.word_name
    FROM wanted
    JOIN ranks ON ranks.rank BETWEEN wanted.first AND wanted.last
    WHERE wanted.first < wanted.last
) AS fulfilled
GROUP BY rank
