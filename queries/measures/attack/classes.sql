-- Answers: the released classes by the columns that an adversary knows; a class and what it begins with are called by a
-- hash of their labels.
-- Reads: combinations, those of the columns in the release (known_code, row_count).
-- Takes: known_code, of each column its codes; known_node, of each column the name for the classes up to it;
-- known_prefix, the hash of their labels up to it.
-- Gives: the table classes (known_code, known_node, row_count).
CREATE OR REPLACE TEMP TABLE classes AS
SELECT known_code, known_prefix AS known_node, row_count
FROM combinations
