-- Answers: which amount the highest of so many rows, or persons, have at least.
-- Reads: init_sample, some rows (amount, person).
-- Takes: amount, the key of the column; person, what tells rows or persons apart; $needed, how many of them.
-- Gives: there, how many of them there are, $needed at most; least, the least of their highest amounts.
SELECT count(*) AS there, min(highest) AS least
FROM (
    SELECT max(TRY_CAST(amount AS DOUBLE)) AS highest
    FROM kanon.init_sample
    WHERE TRY_CAST(amount AS DOUBLE) IS NOT NULL
    GROUP BY person
    ORDER BY highest DESC
    LIMIT $needed
) AS highest_of_each
