-- Answers: of every column how many values of the sample are dates in each format.
-- Reads: profile_sample, the values (position, value).
-- Takes: format_fits, whether a value is written in a format; $positions, the columns.
-- Gives: position, format_key.
SELECT position, count(CASE WHEN format_fits THEN 1 END) AS format_key
FROM kanon.profile_sample
WHERE position IN (SELECT unnest($positions))
GROUP BY position
