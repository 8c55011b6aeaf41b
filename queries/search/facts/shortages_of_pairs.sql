-- Answers: which rare pairs of facts each person of one turn keeps: one of each must go. Persons take turns, so that
-- what some suppress is counted before others do.
-- Reads: rare, the rare pairs (number, pair); kept, the facts that are kept of each person (person, fact, worth);
-- support, of each fact how many persons have it (fact, persons).
-- Takes: $turn and $turns, the persons whose turn it is.
-- Gives: the table shortages (person, number, fact, cost), two rows a pair, cost what suppressing the fact costs, by
-- its persons and its worth.
CREATE OR REPLACE TEMP TABLE shortages AS
SELECT lacking.person, lacking.number, lacking.fact, CAST(support.persons AS DOUBLE) * lacking.worth AS cost
FROM (
    SELECT
        kept.person,
        rare.number,
        unnest([kept.fact, other_kept.fact]) AS fact,
        unnest([kept.worth, other_kept.worth]) AS worth
    FROM kept
    JOIN kept AS other_kept ON other_kept.person = kept.person AND other_kept.fact > kept.fact
    JOIN rare ON rare.pair = kept.fact * 4294967296 + other_kept.fact
    WHERE kept.person % $turns = $turn
) AS lacking
JOIN support ON support.fact = lacking.fact
