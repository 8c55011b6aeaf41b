-- How many places match, and the share of all pairs of rows that do: what would be expected of rows in random order.
SELECT
    (SELECT CAST(coalesce(sum(row_count), 0) AS BIGINT) FROM tuples) AS matching,
    (SELECT coalesce(sum(CAST(left_rows AS DOUBLE) * right_rows), 0.0) FROM combined) AS pairs
