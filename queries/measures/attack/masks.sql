-- Answers: for each value of one column the predicates whose label stands for it, as bits of words.
-- Reads: predicates, what an adversary tries (this_code, word, bit); runs, what each label stands for as runs of ranks
-- (code, first, last); ranks, the domain of the column rank by rank (rank).
-- Takes: this_code, the column of codes; word_name and word_number, of each word its name and its number.
-- Gives: the table masks (rank, word_name).
CREATE OR REPLACE TEMP TABLE masks AS
SELECT ranks.rank, bit_or(wanted.word_name) AS word_name
FROM (
    SELECT
        this_code AS code,
        bit_or(CASE WHEN word = word_number THEN CAST(1 AS HUGEINT) << bit ELSE CAST(0 AS HUGEINT) END) AS word_name
    FROM predicates
    GROUP BY this_code
) AS wanted
JOIN runs ON runs.code = wanted.code
JOIN ranks ON ranks.rank BETWEEN runs.first AND runs.last
GROUP BY ranks.rank
