-- Answers: the releases of a ledger in the order in which they were made.
-- Reads: kanon_sql_releases, the ledger (id, made_at, program, origin, built_on, source, source_place,
-- source_fingerprint, target, target_place, release_fingerprint, quasi_identifiers, released, details).
-- Takes: nothing.
-- Gives: id, made_at, program, origin, built_on, source, source_place, source_fingerprint, target, target_place,
-- release_fingerprint, quasi_identifiers, released, details.
SELECT
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
FROM kanon_sql_releases
ORDER BY id
