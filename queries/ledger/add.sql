-- One more release.
INSERT INTO kanon_sql_releases
SELECT
    CAST($id AS BIGINT) AS id,
    $made_at AS made_at,
    $program AS program,
    CAST($origin AS BIGINT) AS origin,
    CAST($built_on AS BIGINT) AS built_on,
    $source AS source,
    $source_place AS source_place,
    $source_fingerprint AS source_fingerprint,
    $target AS target,
    $target_place AS target_place,
    $release_fingerprint AS release_fingerprint,
    CAST($quasi_identifiers AS VARCHAR[]) AS quasi_identifiers,
    CAST($released AS VARCHAR[]) AS released,
    $details AS details
