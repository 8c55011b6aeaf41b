-- The share of all pairs of values of one column that match, by signatures: columns that tell most apart come first.
SELECT
    count(*) / greatest(
        CAST(count(DISTINCT left_signature) AS DOUBLE) * count(DISTINCT right_signature), 1
    ) AS share
FROM signature_matches
