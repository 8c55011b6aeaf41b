-- Answers: of two facts how many persons keep both whose one or both change: are about to be suppressed, or were
-- restored.
-- Reads: changed, the facts of persons that change (person, fact); kept, the facts that are kept of each person, those
-- that change among them (person, fact).
-- Takes: nothing.
-- Gives: the table touched (first_fact, second_fact, persons).
CREATE OR REPLACE TEMP TABLE touched AS
SELECT
    least(changed.fact, kept.fact) AS first_fact,
    greatest(changed.fact, kept.fact) AS second_fact,
    count(*) AS persons
FROM changed
JOIN kept ON kept.person = changed.person AND kept.fact <> changed.fact
LEFT JOIN changed AS also_changed ON also_changed.person = kept.person AND also_changed.fact = kept.fact
-- Where both change the pair is counted once.
WHERE also_changed.fact IS NULL OR kept.fact > changed.fact
GROUP BY least(changed.fact, kept.fact), greatest(changed.fact, kept.fact)
