-- One dimension: how many rows of each open partition hold each of its values.
SELECT
    part,
    this_number AS dimension,
    CAST(this_position AS BIGINT) AS position,
    CAST(sum(row_count) AS BIGINT) AS row_count
FROM open_tuples
WHERE live & this_bit <> 0
GROUP BY part, this_position
