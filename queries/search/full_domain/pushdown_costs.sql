-- What each released value of one quasi-identifier costs, for the engine that holds the rows.
SELECT
    CAST(level AS BIGINT) AS level,
    CAST(code AS BIGINT) AS code,
    CAST(units AS BIGINT) AS units,
    CAST(spread AS VARCHAR) AS spread
FROM costs
