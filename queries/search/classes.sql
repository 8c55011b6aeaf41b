-- Answers: the classes that a search made: their rows, and from which position to which each dimension goes; `first`
-- leaves missing values, position 0, out.
-- Reads: assigned, the tuples of each class (part, row_count, this_position).
-- Takes: this_first, of each dimension the least position that is no missing value; this_high and this_low, of each
-- dimension the least and the greatest position; this_position, of each dimension the column of positions.
-- Gives: the table classes (part, row_count, this_low, this_first, this_high).
CREATE OR REPLACE TEMP TABLE classes AS
SELECT
    part,
    CAST(sum(row_count) AS BIGINT) AS row_count,
    CAST(min(this_position) AS BIGINT) AS this_low,
    CAST(min(CASE WHEN this_position > 0 THEN this_position END) AS BIGINT) AS this_first,
    CAST(max(this_position) AS BIGINT) AS this_high
FROM assigned
GROUP BY part
