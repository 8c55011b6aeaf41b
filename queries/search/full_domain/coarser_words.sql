-- Answers: which class is each combination in, at nodes of a batch that are all above the same levels?
-- Reads: coarser, the combinations at these levels, by the codes of every level above (row_count, tally_name).
-- Takes: node_numbers, a list: the numbers of the nodes in the batch; node_words, a list: of each of them the sum of
-- the columns of its levels; tally_name, the columns that tally sensitive values, if any do.
-- Gives: node, word, row_count, tally_name.
SELECT
    unnest(node_numbers) AS node,
    unnest(node_words) AS word,
    row_count,
    tally_name
FROM coarser
