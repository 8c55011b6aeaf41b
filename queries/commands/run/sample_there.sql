-- Answers: the distinct combinations of other released columns and of generalized quasi-identifiers in another engine,
-- as far as rows of theirs are drawn: the columns by digests of their values, the quasi-identifiers by their values.
-- Reads: given_rows, the rows that the sample is drawn of (what drawn_by, seen_digest and qi_value read).
-- Takes: drawn_by, a number of each row by which it is drawn, equal in all rows of a combination; is_looked_at, whether
-- the combinations of such a number are looked at (reads drawn_number); drawn, `unit` for each row of a combination
-- that is drawn (reads drawn_number, row_count); unit, what `drawn` counts for a row; qi_code and qi_value, of each
-- quasi-identifier a name and its value; seen_code and seen_digest, of each column that is looked at a name and the
-- digest of its value.
-- Gives: seen_code, qi_code, drawn_rows.
SELECT seen_code, qi_code, drawn AS drawn_rows
FROM (
    SELECT seen_code, qi_code, drawn_number, count(*) AS row_count
    FROM (
        SELECT seen_digest AS seen_code, qi_value AS qi_code, drawn_by AS drawn_number
        FROM given_rows
    ) AS digested
    WHERE is_looked_at
    GROUP BY seen_code, qi_code, drawn_number
) AS counted
WHERE drawn >= unit
