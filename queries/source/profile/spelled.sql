-- Answers: the values that are usual spellings of missing ones, with their rows.
-- Reads: profile_values, the distinct values of all columns (position, value, row_count).
-- Takes: $spellings, the usual spellings.
-- Gives: position, value, row_count.
SELECT position, value, row_count
FROM kanon.profile_values
WHERE value IN (SELECT unnest($spellings))
ORDER BY position, row_count DESC, value
