-- Answers: which tuples has each class? It is brought to DuckDB where they are in another engine.
-- Reads: assigned, the tuples of each class (part, this_position, row_count).
-- Takes: this_position, the position of a dimension.
-- Gives: the table assigned (part, this_position, row_count).
CREATE OR REPLACE TEMP TABLE kanon.assigned AS
SELECT part, this_position, row_count
FROM kanon.assigned
