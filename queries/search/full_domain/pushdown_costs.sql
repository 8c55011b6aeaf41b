-- Answers: what does each released value of a quasi-identifier cost? Loaded into the engine that holds the rows.
-- Reads: costs (level, code, units, spread).
-- Takes: nothing.
-- Gives: the same; spread as a text, which loses no digit on the way.
SELECT
    CAST(level AS BIGINT) AS level,
    CAST(code AS BIGINT) AS code,
    CAST(units AS BIGINT) AS units,
    CAST(spread AS VARCHAR) AS spread
FROM costs
