-- Answers: which class is each combination in, at every node of a batch? A class's codes are packed into one number.
-- Reads: tuples, the combinations by the codes of every level (cell_code, row_count).
-- Takes: cell_code, of each level that the nodes have the column of its codes; cell_factor, what the codes of that
-- quasi-identifier are multiplied by; node_number, of each node its number; node_word, of each node the sum of the
-- columns of its levels.
-- Gives: node, word, row_count.
SELECT
    unnest([LIST_OF(node_number)]) AS node,
    unnest([LIST_OF(node_word)]) AS word,
    row_count
FROM (
    SELECT
        CAST(cell_code AS BIGINT) * cell_factor AS cell_code,
        row_count
    FROM tuples
) AS packed
