-- Answers: the counting queries that are asked: which bins of a column each takes.
-- Reads: nothing.
-- Takes: $bins, $columns, $queries and $sets, the bins, the numbers of their columns, of the queries of a set and of
-- the sets, as JSON.
-- Gives: the table utility_asked (set_number, column_number, query, bin).
CREATE OR REPLACE TEMP TABLE kanon.utility_asked AS
SELECT
    unnest(CAST(CAST($sets AS JSON) AS BIGINT[])) AS set_number,
    unnest(CAST(CAST($columns AS JSON) AS BIGINT[])) AS column_number,
    unnest(CAST(CAST($queries AS JSON) AS BIGINT[])) AS query,
    unnest(CAST(CAST($bins AS JSON) AS BIGINT[])) AS bin
