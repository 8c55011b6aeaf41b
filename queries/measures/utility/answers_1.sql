-- Answers: the counting queries of one set on one column: the rows that are expected under each.
-- Reads: coded, the frequency table of one side with codes (first_code, row_count); first_weights, the shares of each
-- label under the queries (set_number, code, shares).
-- Takes: first_code, the column of the codes; query_number, the number of each query; $set, the number of the set.
-- Gives: the answers, a column each.
SELECT sum(cells.row_count * list_extract(first_weights.shares, query_number))
FROM (
    SELECT first_code, CAST(sum(row_count) AS DOUBLE) AS row_count
    FROM coded
    GROUP BY first_code
) AS cells
JOIN first_weights ON first_weights.code = cells.first_code AND first_weights.set_number = $set
