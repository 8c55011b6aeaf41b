-- The tuples of the rest under the labels of one part.
CREATE OR REPLACE TEMP TABLE offers AS
SELECT reached.label, rest.cell, rest.row_count
FROM rest
JOIN (
    SELECT chosen.label, chosen.label_b, above_a.tuple AS tuple_a
    FROM above_a
    JOIN (SELECT * FROM chosen WHERE part = $part) AS chosen ON chosen.label_a = above_a.label
) AS reached ON reached.tuple_a = rest.tuple_a
JOIN above_b ON above_b.tuple = rest.tuple_b AND above_b.label = reached.label_b
