-- Answers: which rare sets each person of one turn keeps, and of which facts they are: one of each set must go. Persons
-- take turns, so that what some suppress is counted before others do.
-- Reads: rare, the rare sets (number, first_fact, member_fact); kept, the facts that are kept of each person (person,
-- fact, worth); member_kept, the same for each further fact of a set; support, of each fact how many persons have it
-- (fact, persons).
-- Takes: member_fact, of each further fact its name in the set; $turn and $turns, the persons whose turn it is.
-- Gives: the table shortages (person, number, fact, cost), cost what suppressing the fact costs, by its persons and
-- its worth.
CREATE OR REPLACE TEMP TABLE shortages AS
SELECT lacking.person, lacking.number, lacking.fact, CAST(support.persons AS DOUBLE) * lacking.worth AS cost
FROM (
    SELECT
        kept.person,
        rare.number,
        unnest(list_prepend(rare.first_fact, [LIST_OF(rare.member_fact)])) AS fact,
        unnest(list_prepend(kept.worth, [LIST_OF(member_kept.worth)])) AS worth
    FROM rare
    JOIN kept ON kept.fact = rare.first_fact
    JOIN member_kept ON member_kept.person = kept.person AND member_kept.fact = rare.member_fact
    WHERE kept.person % $turns = $turn
) AS lacking
JOIN support ON support.fact = lacking.fact
