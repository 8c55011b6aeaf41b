-- Answers: a part of the rows that take part, drawn by their numbers in whatever order they are read, or by the values
-- of a column, so that rows of one value come together: other released columns by the hashes of their values,
-- generalized quasi-identifiers by the codes of their finer values.
-- Reads: qi_finer, of each quasi-identifier its table of codes (code, value); given_rows, the rows that the
-- sample is drawn of (all columns).
-- Takes: drawn_by, what rows are drawn by; qi_code, of each quasi-identifier the code of its finer value; qi_key, of
-- each quasi-identifier its column in the source; seen_code, of each column that is looked at its code; seen_key, of
-- each column that is looked at its key in the source; step, one of how many rows is drawn.
-- Gives: the table run_sample (seen_code, qi_code).
CREATE OR REPLACE TEMP TABLE kanon.run_sample AS
SELECT
    hash(source.seen_key) AS seen_code,
    qi_finer.code AS qi_code
FROM (SELECT *, row_number() OVER () AS number FROM given_rows) AS source
LEFT JOIN qi_finer ON qi_finer.value IS NOT DISTINCT FROM source.qi_key
WHERE hash(drawn_by) % step = 0
