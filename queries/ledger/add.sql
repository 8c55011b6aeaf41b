-- Answers: one more release.
-- Reads: nothing.
-- Takes: $built_on, the release that it is built on; $details, what else is known, as JSON; $id, the number of the
-- release; $made_at, when it was made; $origin, how the hierarchy is built; $program, the version of the program;
-- $quasi_identifiers, the quasi-identifiers, as JSON; $release_fingerprint and $source_fingerprint, the sums of digests
-- of release and source; $released, how many rows it has; $source, $source_place, $target and $target_place, where
-- source and target stand.
-- Gives: further rows of the table kanon_sql_releases (id, made_at, program, origin, built_on, source, source_place,
-- source_fingerprint, target, target_place, release_fingerprint, quasi_identifiers, released, details).
INSERT INTO kanon_sql_releases (
    id,
    made_at,
    program,
    origin,
    built_on,
    source,
    source_place,
    source_fingerprint,
    target,
    target_place,
    release_fingerprint,
    quasi_identifiers,
    released,
    details
)
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
