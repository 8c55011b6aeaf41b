-- Answers: the distinct combinations of other released columns and of generalized quasi-identifiers in another engine,
-- as far as rows of theirs are drawn: the columns by digests of their values, the quasi-identifiers by their values.
-- Reads: given_rows, the rows that the sample is drawn of (what seen_digest and qi_value read).
-- Takes: drawn, `step` for each row of a combination that is drawn, by a number of its own; step, one of how many rows
-- is drawn; qi_code and qi_value, of each quasi-identifier a name and its value; seen_code and seen_digest, of each
-- column that is looked at a name and the digest of its value.
-- Gives: seen_code, qi_code, drawn_rows.
SELECT seen_code, qi_code, drawn AS drawn_rows
FROM (
    SELECT seen_code, qi_code, count(*) AS row_count
    FROM (SELECT seen_digest AS seen_code, qi_value AS qi_code FROM given_rows) AS digested
    GROUP BY seen_code, qi_code
) AS counted
WHERE drawn >= step
