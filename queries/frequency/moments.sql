-- Answers: how far the dates of a dimension lie apart, in microseconds, whether any is the first moment of a day or of
-- an hour, and whether all lie in years that have four digits.
-- Reads: places, a row for each position of a dimension (bound, position).
-- Takes: nothing.
-- Gives: span, has_midnight, has_full_hour, is_usual.
SELECT
    coalesce(epoch_us(max(moment)) - epoch_us(min(moment)), 0) AS span,
    coalesce(bool_or(moment = date_trunc('day', moment)), false) AS has_midnight,
    coalesce(bool_or(moment = date_trunc('hour', moment)), false) AS has_full_hour,
    coalesce(min(moment) >= TIMESTAMP '0010-01-01' AND max(moment) < TIMESTAMP '9990-01-01', true) AS is_usual
FROM (
    SELECT CAST(bound AS TIMESTAMP) AS moment
    FROM places
    WHERE position > 0
) AS moments
