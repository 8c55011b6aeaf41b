-- Answers: after a CSV was read with its rejects stored: how many records were refused, and the lines of the first of
-- them.
-- Reads: reject_errors, the engine's list of refused records (line).
-- Takes: nothing.
-- Gives: records, lines.
SELECT
    count(DISTINCT line) AS records,
    list_slice(list(DISTINCT line ORDER BY line), 1, 5) AS lines
FROM reject_errors
