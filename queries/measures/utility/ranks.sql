-- Answers: the domain of one column rank by rank.
-- Reads: domain, the values of the source with their ranks (rank, number, measure, is_missing, row_count).
-- Takes: nothing.
-- Gives: the table ranks (rank, number, measure, is_missing, row_count).
CREATE OR REPLACE TEMP TABLE ranks AS
SELECT
    rank,
    min(number) AS number,
    min(measure) AS measure,
    bool_or(is_missing) AS is_missing,
    CAST(sum(row_count) AS BIGINT) AS row_count
FROM domain
GROUP BY rank
