-- Answers: what the built-in prefix writes above each value, or above what it wrote itself: 0213* lies below 021**.
-- Reads: labels, the distinct values of one side (code, bare).
-- Takes: level_keep, of each level how many characters are kept.
-- Gives: the table prefixes (code, prefix).
CREATE OR REPLACE TEMP TABLE prefixes AS
SELECT DISTINCT code, prefix
FROM (
    SELECT
        code,
        unnest([LIST_OF(
            CASE
                WHEN length(bare) > level_keep THEN left(bare, level_keep) || repeat('*', length(bare) - level_keep)
                ELSE bare
            END
        )]) AS prefix
    FROM labels
    WHERE bare IS NOT NULL
) AS levels
