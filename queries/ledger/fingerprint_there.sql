-- Answers: what tells whether two tables hold the same rows, in an engine that has sums and exclusive ors of BIGINT
-- only: how many there are, and two sums over digests of them, each in two halves of 32 bits. No row can be read from
-- it.
-- Reads: table_rows, the rows of a table (what row_digest reads).
-- Takes: row_digest, the digits of the digest of a row; upper_half and lower_half, the halves of its last bytes;
-- upper_parity and lower_parity, the exclusive ors of all of them.
-- Gives: row_count, upper_total, lower_total, upper_bits, lower_bits.
SELECT
    count(*) AS row_count,
    CAST(coalesce(sum(CAST(upper AS DECIMAL(12, 0))), 0) AS VARCHAR) AS upper_total,
    CAST(coalesce(sum(CAST(lower AS DECIMAL(12, 0))), 0) AS VARCHAR) AS lower_total,
    coalesce(upper_parity, 0) AS upper_bits,
    coalesce(lower_parity, 0) AS lower_bits
FROM (
    SELECT upper_half AS upper, lower_half AS lower
    FROM (SELECT row_digest AS digest FROM table_rows) AS digests
) AS halves
