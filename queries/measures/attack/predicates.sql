-- Answers: the predicates that an adversary tries over some columns: the combinations of labels that the fewest
-- released rows hold, $most at most; and as many of labels that are drawn column by column. A predicate is the bit of a
-- word.
-- Reads: combinations, those of the columns in the release (item_code, row_count).
-- Takes: item_code, of each column its codes; item_labels, of each column how many labels it has; item_number, its
-- number; $bits, how many bits a word has; $most, how many predicates; $seed, what draws them.
-- Gives: the table attack_predicates (is_random, is_alone, item_code, word, bit).
CREATE OR REPLACE TEMP TABLE kanon.attack_predicates AS
WITH rarest AS (
    SELECT item_code, row_count, row_number() OVER (ORDER BY row_count, draw) - 1 AS place
    FROM (
        SELECT item_code, row_count, hash(CAST([$seed, LIST_OF(item_code)] AS VARCHAR)) AS draw
        FROM combinations
        ORDER BY row_count, draw
        LIMIT $most
    ) AS drawn
)
SELECT
    is_random,
    is_alone,
    item_code,
    CAST((2 * place + is_random) // $bits AS INTEGER) AS word,
    CAST((2 * place + is_random) % $bits AS INTEGER) AS bit
FROM (
    SELECT 0 AS is_random, row_count = 1 AS is_alone, item_code, place
    FROM rarest
    UNION ALL
    SELECT
        1 AS is_random,
        row_count = 1 AS is_alone,
        CAST(1 + hash(CAST([$seed, place, item_number] AS VARCHAR)) % item_labels AS BIGINT) AS item_code,
        place
    FROM rarest
) AS asked
