-- Answers: the counting queries of one set on three columns: the rows that are expected under each.
-- Reads: coded, the frequency table of one side with codes (first_code, second_code, third_code, row_count);
-- first_weights, second_weights and third_weights, the shares of each label under the queries (set_number, code,
-- shares).
-- Takes: first_code, second_code and third_code, the columns of the codes; query_number, the number of each query;
-- $set, the number of the set.
-- Gives: the answers, a column each.
SELECT
    sum(
        cells.row_count
        * list_extract(first_weights.shares, query_number)
        * list_extract(second_weights.shares, query_number)
        * list_extract(third_weights.shares, query_number)
    )
FROM (
    SELECT first_code, second_code, third_code, CAST(sum(row_count) AS DOUBLE) AS row_count
    FROM coded
    GROUP BY first_code, second_code, third_code
) AS cells
JOIN first_weights ON first_weights.code = cells.first_code AND first_weights.set_number = $set
JOIN second_weights ON second_weights.code = cells.second_code AND second_weights.set_number = $set
JOIN third_weights ON third_weights.code = cells.third_code AND third_weights.set_number = $set
