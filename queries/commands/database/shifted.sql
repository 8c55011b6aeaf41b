-- Answers: the rows of a table with the person of each, NULL where its link finds none, and its dates moved.
-- Reads: source, the rows (own_key); links, whose each key is (key, person); days, by how many days the dates of a
-- person move (person); since_origins, of each column of distances the day from which those of a person are counted
-- (person, origin).
-- Takes: own_key and own_value, of each column its key and its value; link_key, the column by which the person is
-- found.
-- Gives: rows (own_key, person).
SELECT own_value AS own_key, links.person
FROM source
LEFT JOIN links ON links.key = CAST(link_key AS VARCHAR)
LEFT JOIN days ON days.person = links.person
LEFT JOIN since_origins ON since_origins.person = links.person
