-- Answers: one side of a link: how many of its rows match, how many match exactly one, the least matches of any, and
-- how many right links to expect when each is given to one of its matches by chance.
-- Reads: counts, how often rows of one side match (matches, row_count).
-- Takes: nothing.
-- Gives: matched, unique_matches, least, expected.
SELECT
    CAST(coalesce(sum(row_count), 0) AS BIGINT) AS matched,
    CAST(coalesce(sum(CASE WHEN matches = 1 THEN row_count END), 0) AS BIGINT) AS unique_matches,
    min(matches) AS least,
    CAST(coalesce(sum(CAST(row_count AS DOUBLE) / matches), 0.0) AS DOUBLE) AS expected
FROM counts
