-- Answers: which class is each combination with a sensitive value in, at every node of a batch? A class's codes are
-- packed into one number.
-- Reads: sensitive, a sensitive column beside the codes of every level (cell_code, value, row_count).
-- Takes: cell_code, of each level of each quasi-identifier the column of its codes; cell_factor, what the codes of
-- that quasi-identifier are multiplied by; node_count, the number of nodes; node_words, a list: of each node the sum of
-- the columns of its levels.
-- Gives: node, word, value, row_count.
SELECT
    unnest(range(node_count)) AS node,
    unnest(node_words) AS word,
    value,
    row_count
FROM (
    SELECT
        CAST(cell_code AS BIGINT) * cell_factor AS cell_code,
        value,
        row_count
    FROM sensitive
) AS packed
