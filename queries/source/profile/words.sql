-- Answers: the words of all lists, each with the lists that it stands in.
-- Reads: nothing.
-- Takes: $words, a line for each word: the word, and behind a tab the names of its lists, parted by |.
-- Gives: the table profile_words (word, lists).
CREATE OR REPLACE TEMP TABLE kanon.profile_words AS
SELECT split_part(line, chr(9), 1) AS word, string_split(split_part(line, chr(9), 2), '|') AS lists
FROM (SELECT unnest(string_split($words, chr(10))) AS line) AS lines
