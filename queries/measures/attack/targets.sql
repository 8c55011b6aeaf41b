-- Answers: the rows that an adversary looks for: at most $attacks of the source and as many of the control group, drawn
-- by a hash of what they hold, so that the same rows are drawn again with the same seed.
-- Reads: source_rows and control_rows, the coded frequency tables of both (item_code, row_count).
-- Takes: item_code, of each column its ranks; $attacks, how many rows are drawn of each; $seed, what draws them.
-- Gives: the table targets (target, is_control, item_code).
CREATE OR REPLACE TEMP TABLE targets AS
SELECT 2 * place + is_control AS target, is_control, item_code
FROM (
    SELECT is_control, item_code, row_number() OVER (PARTITION BY is_control ORDER BY draw) AS place
    FROM (
        SELECT is_control, item_code, hash(CAST([$seed, copy, LIST_OF(item_code)] AS VARCHAR)) AS draw
        FROM (
            SELECT is_control, item_code, unnest(range(row_count)) AS copy
            FROM (
                SELECT 0 AS is_control, item_code, CAST(sum(row_count) AS BIGINT) AS row_count
                FROM source_rows
                GROUP BY item_code
                UNION ALL
                SELECT 1 AS is_control, item_code, CAST(sum(row_count) AS BIGINT) AS row_count
                FROM control_rows
                GROUP BY item_code
            ) AS both_tables
        ) AS single
    ) AS drawn
) AS placed
WHERE place <= $attacks
