-- Answers: whether a bucket holds a file.
-- Reads: glob(), which asks for the names there.
-- Takes: $pattern, the name of the file as a pattern.
-- Gives: one row (is_there).
SELECT count(*) > 0 AS is_there
FROM glob($pattern)
