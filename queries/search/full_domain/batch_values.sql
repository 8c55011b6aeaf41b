-- Answers: which class is each combination with a sensitive value in, at every node of a batch? A class's codes are
-- packed into one number. Combinations that are alike at the least levels of the batch are joined first.
-- Reads: sensitive, a sensitive column beside the codes of every level (cell_code, value, row_count).
-- Takes: cell_code, of each level of each quasi-identifier the column of its codes; cell_factor, what the codes of
-- that quasi-identifier are multiplied by; meet_code, the columns of the least levels; node_count, the number of nodes;
-- node_words, a list: of each node the sum of the columns of its levels.
-- Gives: node, word, value, row_count.
SELECT
    unnest(range(node_count)) AS node,
    unnest(node_words) AS word,
    value,
    row_count
FROM (
    SELECT
        CAST(sensitive.cell_code AS BIGINT) * cell_factor AS cell_code,
        sensitive.value,
        rolled.row_count
    FROM sensitive
    JOIN (
        SELECT min(rowid) AS first_row, CAST(sum(row_count) AS BIGINT) AS row_count
        FROM sensitive
        GROUP BY meet_code, value
    ) AS rolled ON rolled.first_row = sensitive.rowid
) AS packed
