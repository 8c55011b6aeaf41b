-- Answers: the rows that were drawn in another engine, as sample.sql has them.
-- Reads: brought, combinations that came from there (seen_code, qi_code, drawn_rows); qi_finer, of each
-- quasi-identifier its table of codes (code, value).
-- Takes: qi_code, of each quasi-identifier the code of its finer value; seen_code, of each column that is looked at its
-- code; unit, what drawn_rows counts for a row.
-- Gives: the table run_sample (seen_code, qi_code).
CREATE OR REPLACE TEMP TABLE kanon.run_sample AS
SELECT
    source.seen_code AS seen_code,
    qi_finer.code AS qi_code
FROM (SELECT *, unnest(range(CAST(floor(drawn_rows / unit) AS BIGINT))) AS number FROM brought) AS source
LEFT JOIN qi_finer ON qi_finer.value IS NOT DISTINCT FROM source.qi_code
