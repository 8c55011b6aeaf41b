-- Answers: the values within each range, as the first and the last of their ranks. A number that is none of the source,
-- such as a mean, may stand for the two that it lies between.
-- Reads: spans, the least and the greatest number of each range (code, low, high); ranks, the domain of one column rank
-- by rank (rank, number).
-- Takes: $between, whether a number stands for those beside it.
-- Gives: the table span_runs (code, first, last).
CREATE OR REPLACE TEMP TABLE span_runs AS
SELECT
    lower_ends.code,
    least(lower_ends.rank, upper_ends.rank) AS first,
    greatest(lower_ends.rank, upper_ends.rank) AS last
FROM (
    SELECT spans.code, places.rank
    FROM spans
    ASOF JOIN (SELECT rank, number FROM ranks WHERE number IS NOT NULL) AS places ON spans.low <= places.number
) AS lower_ends
JOIN (
    SELECT spans.code, places.rank
    FROM spans
    ASOF JOIN (SELECT rank, number FROM ranks WHERE number IS NOT NULL) AS places ON spans.high >= places.number
) AS upper_ends ON upper_ends.code = lower_ends.code
WHERE lower_ends.rank <= upper_ends.rank OR $between
