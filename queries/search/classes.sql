-- The classes that a search made: their rows, and from which position to which each dimension goes; `first` leaves
-- missing values, position 0, out.
CREATE OR REPLACE TEMP TABLE classes AS
SELECT
    part,
    CAST(sum(row_count) AS BIGINT) AS row_count,
    CAST(min(this_position) AS BIGINT) AS this_low,
    CAST(min(CASE WHEN this_position > 0 THEN this_position END) AS BIGINT) AS this_first,
    CAST(max(this_position) AS BIGINT) AS this_high
FROM assigned
GROUP BY part
