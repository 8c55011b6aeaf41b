-- Their labels are accepted: tuples that they are the cheapest for later on may take them, however few.
INSERT INTO accepted
SELECT DISTINCT takers.label
FROM takers
ANTI JOIN accepted ON accepted.label = takers.label
