-- Answers: which names a bucket has that patterns mean.
-- Reads: glob(), which asks for the names there.
-- Takes: $patterns, a list of URLs that are patterns.
-- Gives: rows (file), in order.
SELECT file
FROM glob($patterns)
ORDER BY file
