-- Answers: the sets of facts of one size that some person keeps, but fewer than k persons do. Smaller sets are
-- frequent by then, so that only frequent ones are joined.
-- Reads: kept, the facts that are kept of each person (person, fact); member_kept, the same for each further fact of a
-- set.
-- Takes: member_previous, of each further fact the one before it, than which it has a greater number; member_fact, its
-- name in the set; $k.
-- Gives: the table rare (number, first_fact, member_fact), numbered from 1.
CREATE OR REPLACE TEMP TABLE rare AS
SELECT
    row_number() OVER (ORDER BY kept.fact) AS number,
    kept.fact AS first_fact,
    member_kept.fact AS member_fact
FROM kept
JOIN member_kept ON member_kept.person = kept.person AND member_kept.fact > member_previous
GROUP BY kept.fact, member_kept.fact
HAVING count(*) < $k
