-- Answers: after a CSV was read with its rejects stored: how many records were refused, the lines of the first of them,
-- and whether all were for letters that are no UTF-8.
-- Reads: reject_errors, the engine's list of refused records (line, error_type).
-- Takes: nothing.
-- Gives: records, lines, are_misread.
SELECT
    count(DISTINCT line) AS records,
    list_slice(list(DISTINCT line ORDER BY line), 1, 5) AS lines,
    coalesce(bool_and(CAST(error_type AS VARCHAR) = 'INVALID ENCODING'), FALSE) AS are_misread
FROM reject_errors
