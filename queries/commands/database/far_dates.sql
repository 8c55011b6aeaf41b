-- Answers: in how many rows each of the columns whose dates move holds one that could move beyond the first or the last
-- date that there is: such dates mean no day, and moved they would tell by how many days those of their person are.
-- Reads: source, the rows.
-- Takes: day_value, of each column its day; $first and $last, the days from and to which dates can move.
-- Gives: one row of lists (far).
SELECT [LIST_OF(count(CASE
    WHEN day_value < CAST($first AS DATE) OR day_value > CAST($last AS DATE) THEN 1
END))] AS far
FROM source
