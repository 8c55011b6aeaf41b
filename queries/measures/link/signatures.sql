-- Answers: values of one side that match the same values of the other are one to a link: they share a signature.
-- Reads: labels, the distinct values of one side (code, label); matches, the pairs of values that match (this_code,
-- other_code).
-- Takes: other_code and this_code, the columns of codes of this and of the other side.
-- Gives: the table signatures (code, label, signature).
CREATE OR REPLACE TEMP TABLE signatures AS
SELECT
    labels.code,
    labels.label,
    dense_rank() OVER (ORDER BY partners.codes) AS signature
FROM (
    SELECT this_code AS code, list(DISTINCT other_code ORDER BY other_code) AS codes
    FROM kanon.matches
    GROUP BY this_code
) AS partners
JOIN labels ON labels.code = partners.code
