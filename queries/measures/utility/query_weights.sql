-- Answers: of the rows of each label the share that falls under each query of a set, as a list.
-- Reads: label_bins, the bins that each label is spread over (code, bin, weight); utility_asked, the bins that each
-- query takes (set_number, column_number, query, bin).
-- Takes: $column, the number of the column; $size, how many queries a set has.
-- Gives: the table query_weights (set_number, code, shares).
CREATE OR REPLACE TEMP TABLE query_weights AS
SELECT set_number, code, list(share ORDER BY query) AS shares
FROM (
    SELECT listed.set_number, labels.code, listed.query, coalesce(taken.share, 0) AS share
    FROM (
        SELECT set_number, unnest(range(CAST($size AS BIGINT))) AS query
        FROM (SELECT DISTINCT set_number FROM kanon.utility_asked WHERE column_number = $column) AS sets
    ) AS listed
    CROSS JOIN (SELECT DISTINCT code FROM label_bins) AS labels
    LEFT JOIN (
        SELECT utility_asked.set_number, label_bins.code, utility_asked.query, sum(label_bins.weight) AS share
        FROM kanon.utility_asked
        JOIN label_bins ON label_bins.bin = utility_asked.bin
        WHERE utility_asked.column_number = $column
        GROUP BY utility_asked.set_number, label_bins.code, utility_asked.query
    ) AS taken
        ON taken.set_number = listed.set_number AND taken.code = labels.code AND taken.query = listed.query
) AS spread
GROUP BY set_number, code
