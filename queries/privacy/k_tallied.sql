-- Answers: k-anonymity: the equivalence classes, their rows, and whether these are fewer than k, beside the counts of
-- sensitive values, which are summed several in one number.
-- Reads: tuples (the classes' key, row_count, tally_name).
-- Takes: $k; tally_name, the columns that tally values; of each value slot_column, that of these which tallies it,
-- slot_shift, how far its count is shifted there, slot_mask, its bits, and slot_count, what its count is called.
-- Gives: key_code, size, violates, slot_count.
SELECT key_code, size, violates, (slot_column >> slot_shift) & slot_mask AS slot_count
FROM (
    SELECT
        key_code,
        CAST(sum(row_count) AS BIGINT) AS size,
        sum(row_count) < $k AS violates,
        CAST(sum(tally_name) AS BIGINT) AS tally_name
    FROM tuples
    GROUP BY key_code
) AS summed
