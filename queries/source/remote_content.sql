-- Answers: all bytes of a file, to be written elsewhere as they are.
-- Reads: file_as_bytes, the file as one row (content).
-- Takes: nothing.
-- Gives: one row (content).
SELECT content
FROM file_as_bytes
