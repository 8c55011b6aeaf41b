-- Answers: of every column how many values of the sample have each mark, and how long they are on average.
-- Reads: marked, the values with their marks (position, length_of, words_of, mark_key).
-- Takes: mark_key, the marks.
-- Gives: position, looked_at, mean_length, mean_words, mark_key.
SELECT
    position,
    count(*) AS looked_at,
    avg(length_of) AS mean_length,
    avg(words_of) AS mean_words,
    count(CASE WHEN mark_key THEN 1 END) AS mark_key
FROM marked
GROUP BY position
