-- Answers: the words of all lists.
-- Reads: nothing.
-- Takes: $words, a line for each word, its list before a tab.
-- Gives: the table profile_words (list, word).
CREATE OR REPLACE TEMP TABLE profile_words AS
SELECT split_part(line, chr(9), 1) AS list, split_part(line, chr(9), 2) AS word
FROM (SELECT unnest(string_split($words, chr(10))) AS line) AS lines
