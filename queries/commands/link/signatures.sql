-- Values of one side that match the same values of the other are one to a link: they share a signature.
CREATE OR REPLACE TEMP TABLE signatures AS
SELECT
    labels.code,
    labels.label,
    dense_rank() OVER (ORDER BY partners.codes) AS signature
FROM (
    SELECT this_code AS code, list(DISTINCT other_code ORDER BY other_code) AS codes
    FROM matches
    GROUP BY this_code
) AS partners
JOIN labels ON labels.code = partners.code
