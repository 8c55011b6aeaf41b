-- Answers: the ledger: one row for each release that was made, none of its data. Releases of one source share their
-- origin.
-- Reads: nothing.
-- Takes: nothing.
-- Gives: the table kanon_sql_releases, with the columns of what it reads.
CREATE TABLE IF NOT EXISTS kanon_sql_releases AS
SELECT *
FROM (
    SELECT
        CAST(NULL AS BIGINT) AS id,
        CAST(NULL AS VARCHAR) AS made_at,
        CAST(NULL AS VARCHAR) AS program,
        CAST(NULL AS BIGINT) AS origin,
        CAST(NULL AS BIGINT) AS built_on,
        CAST(NULL AS VARCHAR) AS source,
        CAST(NULL AS VARCHAR) AS source_place,
        CAST(NULL AS VARCHAR) AS source_fingerprint,
        CAST(NULL AS VARCHAR) AS target,
        CAST(NULL AS VARCHAR) AS target_place,
        CAST(NULL AS VARCHAR) AS release_fingerprint,
        CAST(NULL AS VARCHAR[]) AS quasi_identifiers,
        CAST(NULL AS VARCHAR[]) AS released,
        CAST(NULL AS VARCHAR) AS details
) AS empty
WHERE false
