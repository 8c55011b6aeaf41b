-- Answers: of how many released persons the list of values is another one than the search was given.
-- Reads: held_left, the lists now (key, list); held_given, those of the search, of persons with values (key, list);
-- persons (key, is_released).
-- Takes: nothing.
-- Gives: how many.
SELECT count(*)
FROM persons
JOIN held_left ON held_left.key = persons.key
LEFT JOIN held_given ON held_given.key = persons.key
WHERE persons.is_released AND held_left.list <> coalesce(held_given.list, '[null]')
