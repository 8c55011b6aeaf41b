-- Answers: the texts of a column of the source that have a bin of their own, or one of those that share the last.
-- Reads: domain, the values of the source with their ranks (value, rank); bins, the bin of each rank (rank, bin).
-- Takes: $rest, the number of the last bin; $is_rest, which of both is asked for.
-- Gives: the table folded (value, kept), kept the text itself.
CREATE OR REPLACE TEMP TABLE folded AS
SELECT value, value AS kept
FROM (
    SELECT DISTINCT CASE WHEN $is_rest THEN min(domain.value) OVER () ELSE domain.value END AS value
    FROM domain
    JOIN bins ON bins.rank = domain.rank
    WHERE (bins.bin = $rest) = $is_rest AND domain.value IS NOT NULL
) AS texts
