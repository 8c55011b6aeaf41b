-- Answers: the rows that an adversary looks for: at most $attacks of the source, or of the control group, drawn by a
-- hash of what they hold, so that the same rows are drawn again with the same seed.
-- Reads: combinations, those of all columns in the source or the control group (item_code, row_count).
-- Takes: item_code, of each column its ranks; $attacks, how many rows are drawn; $is_control, 1 for the control group
-- and else 0; $seed, what draws them.
-- Gives: further rows of the table attack_targets (target, is_control, item_code).
INSERT INTO kanon.attack_targets
SELECT 2 * row_number() OVER (ORDER BY draw) + $is_control AS target, $is_control AS is_control, item_code
FROM (
    SELECT item_code, hash(CAST([$seed, copy, LIST_OF(item_code)] AS VARCHAR)) AS draw
    FROM (SELECT item_code, unnest(range(row_count)) AS copy FROM combinations) AS single
    ORDER BY draw
    LIMIT $attacks
) AS drawn
