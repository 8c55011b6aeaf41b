-- A part of the rows that take part, drawn by their numbers in whatever order they are read, or by the values of a
-- column, so that rows of one value come together: other released columns by the hashes of their values, generalized
-- quasi-identifiers by the codes of their finer values.
CREATE OR REPLACE TEMP TABLE sample AS
SELECT
    hash(source.seen_key) AS seen_code,
    qi_finer.code AS qi_code
FROM (SELECT *, row_number() OVER () AS number FROM given_rows) AS source
LEFT JOIN qi_finer ON qi_finer.value IS NOT DISTINCT FROM source.qi_key
WHERE hash(drawn_by) % step = 0
