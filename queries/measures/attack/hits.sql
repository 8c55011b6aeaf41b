-- Answers: how many rows of one table fulfil the same predicates, and the first and the last of the persons whom they
-- are about.
-- Reads: table_rows, the coded frequency table of the source or of the control group (item_code, person_name,
-- row_count); item_masks, of each column the predicates that hold for its values (rank).
-- Takes: item_code, of each column its ranks; item_masks, of each column its masks; word_name and word_value, of each
-- word of bits its name and what a row fulfils; person_name, person_least and person_most, who a row is about.
-- Gives: the table hits (word_name, row_count, person_least, person_most).
CREATE OR REPLACE TEMP TABLE hits AS
SELECT
    word_value AS word_name,
    CAST(sum(table_rows.row_count) AS BIGINT) AS row_count,
    min(table_rows.person_name) AS person_least,
    max(table_rows.person_name) AS person_most
FROM table_rows
JOIN item_masks ON item_masks.rank = table_rows.item_code
GROUP BY word_value
