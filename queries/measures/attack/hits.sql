-- Answers: how many rows of one table fulfil the same predicates, and the first and the last of the persons whom they
-- are about.
-- Reads: combinations, those of the columns in the source or the control group (item_code, person_least, person_most,
-- row_count); item_masks, of each column the predicates that hold for its values (rank).
-- Takes: item_code, of each column its ranks; item_masks, of each column its masks; word_name and word_value, of each
-- word of bits its name and what a row fulfils; person_least and person_most, who rows are about.
-- Gives: the table attack_hits (word_name, row_count, person_least, person_most).
CREATE OR REPLACE TEMP TABLE kanon.attack_hits AS
SELECT
    word_value AS word_name,
    CAST(sum(held.row_count) AS BIGINT) AS row_count,
    min(held.person_least) AS person_least,
    max(held.person_most) AS person_most
FROM (
    SELECT item_code, row_count, person_least, person_most
    FROM combinations
) AS held
JOIN item_masks ON item_masks.rank = held.item_code
GROUP BY word_value
