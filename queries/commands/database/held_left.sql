-- Answers: the list of values that each person still has in a column of a table once rows went with suppressed facts,
-- beside that of the source where it is another one; of persons who are suppressed that of the source.
-- Reads: left_rows, the rows that are left (person, value); persons, all of them (person, key, is_released);
-- held_lists, the lists of the source, of persons with rows (key, list).
-- Takes: nothing.
-- Gives: the table held_left (key, list), a text in JSON: the list, or that which is left beside that of the source.
CREATE OR REPLACE TEMP TABLE held_left AS
SELECT
    persons.key,
    CASE
        WHEN NOT persons.is_released OR coalesce(still_there.list, '[null]') = coalesce(held_lists.list, '[null]')
            THEN coalesce(held_lists.list, '[null]')
        ELSE
            '{"held":' || coalesce(still_there.list, '[null]') || ',"source":' || coalesce(held_lists.list, '[null]')
            || '}'
    END AS list
FROM persons
LEFT JOIN held_lists ON held_lists.key = persons.key
LEFT JOIN (
    SELECT person, CAST(to_json(list(value ORDER BY value NULLS FIRST)) AS VARCHAR) AS list
    FROM (SELECT DISTINCT person, value FROM left_rows) AS held
    GROUP BY person
) AS still_there ON still_there.person = persons.person
