-- Answers: the scores of the classes that hold a minimal unique, and what the probability of a right match is made of:
-- the classes that one row (or entity) holds alone, and those that two share.
-- Reads: special, the classes of all columns with their scores (low, holders, row_count, score).
-- Takes: nothing.
-- Gives: scored, scored_rows, scored_holders, least, mean, median, high, most, alone, pairs.
SELECT
    CAST(coalesce(sum(CASE WHEN score > 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS scored,
    CAST(coalesce(sum(CASE WHEN score > 0 THEN row_count ELSE 0 END), 0) AS BIGINT) AS scored_rows,
    count(DISTINCT CASE WHEN score > 0 THEN low END) AS scored_holders,
    min(CASE WHEN score > 0 THEN score END) AS least,
    avg(CASE WHEN score > 0 THEN score END) AS mean,
    quantile_disc(CASE WHEN score > 0 THEN score END, 0.5) AS median,
    quantile_disc(CASE WHEN score > 0 THEN score END, 0.95) AS high,
    max(score) AS most,
    CAST(coalesce(sum(CASE WHEN holders = 1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS alone,
    CAST(coalesce(sum(CASE WHEN holders = 2 THEN 1 ELSE 0 END), 0) AS BIGINT) AS pairs
FROM special
