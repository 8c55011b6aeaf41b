-- Answers: which files a URL means, and how large they are; no content is read.
-- Reads: read_blob(), what a bucket or a web server tells.
-- Takes: $pattern, a URL that may be a pattern.
-- Gives: rows (filename, size), size in bytes.
SELECT filename, size
FROM read_blob($pattern)
ORDER BY filename
