-- Answers: by how many days the dates of each person move: how far a day that was shifted is from itself.
-- Reads: source, of each person a day, shifted, and the key; persons, the persons by their keys (person, key).
-- Takes: day_key and person_key, the columns of the day and of the key; $day, the day before.
-- Gives: the table days (person, moved_by).
CREATE OR REPLACE TEMP TABLE days AS
SELECT persons.person, date_diff('day', CAST($day AS DATE), day_key) AS moved_by
FROM source
JOIN persons ON persons.key = person_key
