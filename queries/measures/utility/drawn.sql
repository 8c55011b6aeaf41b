-- Answers: the rows of both sides by the kinds of their labels, at most about $most: of more, each combination has its
-- share of $most rows, rounded up or down by a hash of it, which is the same on both sides.
-- Reads: source_kinds and release_kinds, the rows of each side by kinds (is_release, target, item_kind, row_count).
-- Takes: item_kind, of each column its kinds; $most, how many rows are drawn.
-- Gives: the table utility_drawn (is_release, target, item_kind, row_count).
CREATE OR REPLACE TEMP TABLE kanon.utility_drawn AS
SELECT is_release, target, item_kind, row_count
FROM (
    SELECT
        is_release,
        target,
        item_kind,
        CASE
            WHEN count(*) OVER () <= $most THEN row_count
            ELSE floor(
                row_count * ($most / CAST(sum(row_count) OVER () AS DOUBLE))
                + (hash([target, item_kind]) % 1000003) / 1000003.0
            )
        END AS row_count
    FROM (
        SELECT is_release, target, item_kind, row_count FROM source_kinds
        UNION ALL
        SELECT is_release, target, item_kind, row_count FROM release_kinds
    ) AS both_sides
) AS shares
WHERE row_count > 0
