-- Answers: the rows of both sides as vectors: a one, then for each column the shares of its labels in each group.
-- Reads: utility_drawn, the rows of both sides by the kinds of their labels (is_release, item_kind, row_count);
-- item_vectors, of each column the shares of each kind (kind).
-- Takes: item_kind, of each column its kinds; item_vectors, of each column the table of its vectors; part_feature, of
-- each entry of the vectors its value; part_name, its name.
-- Gives: the table utility_design (is_release, row_count, x0, part_name).
CREATE OR REPLACE TEMP TABLE kanon.utility_design AS
SELECT CAST(drawn.is_release AS DOUBLE) AS is_release, CAST(drawn.row_count AS DOUBLE) AS row_count, 1.0 AS x0, part_feature AS part_name
FROM kanon.utility_drawn AS drawn
JOIN item_vectors ON item_vectors.kind = drawn.item_kind
