-- Answers: which values of one dimension has each class? Of texts the label names them all; it is brought to DuckDB
-- where the tuples of the classes are in another engine.
-- Reads: assigned, the tuples of each class (part, this_position).
-- Takes: this_position, the column of positions.
-- Gives: the table assigned (part, this_position).
CREATE OR REPLACE TEMP TABLE assigned AS
SELECT DISTINCT part, this_position
FROM assigned
