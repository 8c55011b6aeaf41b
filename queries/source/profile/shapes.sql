-- Answers: of every column the shapes of the values of the sample: digits as 9, letters as A and a.
-- Reads: profile_sample, the values (position, value).
-- Takes: nothing.
-- Gives: position, shape, value_count.
SELECT
    position,
    regexp_replace(
        regexp_replace(
            regexp_replace(regexp_replace(strip_accents(value), '[0-9]', '9', 'g'), '[a-z]|[^\x00-\x7F]', 'a', 'g'),
            '[A-Z]', 'A', 'g'
        ), '\s+', ' ', 'g'
    ) AS shape,
    count(*) AS value_count
FROM kanon.profile_sample
WHERE length(value) <= 40
GROUP BY position, shape
ORDER BY position, value_count DESC, shape
