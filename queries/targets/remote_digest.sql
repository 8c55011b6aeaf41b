-- Answers: which bytes a file in a bucket holds, as their digest.
-- Reads: read_blob(), the file.
-- Takes: $url, the file.
-- Gives: one row (digest), SHA-256 in hexadecimal digits.
SELECT sha256(content) AS digest
FROM read_blob($url)
