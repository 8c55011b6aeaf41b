-- Answers: the share of all pairs of values of one column that match, by signatures: columns that tell most apart come
-- first.
-- Reads: signature_matches, the pairs of signatures that match (right_signature, left_signature).
-- Takes: nothing.
-- Gives: share.
SELECT
    count(*) / greatest(
        CAST(count(DISTINCT left_signature) AS DOUBLE) * count(DISTINCT right_signature), 1
    ) AS share
FROM signature_matches
