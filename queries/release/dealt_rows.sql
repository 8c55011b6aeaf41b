-- Answers: the rows with the class that each is in, where classes share tuples: the rows of a shared tuple, in an order
-- that tells nothing and follows from their values, are dealt out to its classes. These are put in turn apart from all
-- others, which most rows are: that order would cost much. Windows with nothing in OVER () number the rows in the order
-- of the source, which release.seed needs to be repeatable; rows that only their numbers tell apart are alike.
-- Reads: source, the rows that take part; qi_domain, the position of each value of a quasi-identifier; shares, which
-- rows of each tuple of positions a class takes (see shares).
-- Takes: qi_key, the column of a quasi-identifier in source; qi_position, what shares calls its position; deal_key,
-- what shared rows are put in turn by.
-- Gives: the columns of source, the number of each row in it, and part, its class.
SELECT numbered.*, shares.part
FROM (SELECT *, row_number() OVER () AS number FROM source) AS numbered
LEFT JOIN qi_domain ON qi_domain.value IS NOT DISTINCT FROM numbered.qi_key
JOIN (SELECT * FROM kanon.shares WHERE sharers = 1) AS shares ON shares.qi_position = qi_domain.position
UNION ALL
SELECT dealt.* EXCLUDE (tuple, turn), shares.part
FROM (
    SELECT
        numbered.*,
        shared.tuple,
        row_number() OVER (PARTITION BY shared.tuple ORDER BY LIST_OF(deal_key), numbered) AS turn
    FROM (SELECT *, row_number() OVER () AS number FROM source) AS numbered
    LEFT JOIN qi_domain ON qi_domain.value IS NOT DISTINCT FROM numbered.qi_key
    JOIN (SELECT * FROM kanon.shares WHERE sharers > 1 AND rows_before = 0) AS shared
        ON shared.qi_position = qi_domain.position
) AS dealt
JOIN kanon.shares
    ON shares.tuple = dealt.tuple
    AND dealt.turn > shares.rows_before
    AND dealt.turn <= shares.last_row
