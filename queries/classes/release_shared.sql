-- The release where classes share tuples: the rows of a tuple, in an order that tells nothing, are dealt out to them.
SELECT out_value AS out_name
FROM (
    SELECT
        numbered.*,
        qi_domain.position AS qi_position,
        row_number() OVER (PARTITION BY LIST_OF(qi_domain.position) ORDER BY hash(numbered.number, row_seed)) AS turn
    FROM (SELECT *, row_number() OVER () AS number FROM source) AS numbered
    LEFT JOIN qi_domain ON qi_domain.value IS NOT DISTINCT FROM numbered.qi_key
) AS placed
JOIN shares
    ON shares.qi_position = placed.qi_position
    AND placed.turn > shares.rows_before
    AND placed.turn <= shares.last_row
JOIN released_classes ON released_classes.part = shares.part
ORDER BY sort_key
