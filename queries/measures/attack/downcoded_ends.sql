-- Answers: of one dimension of numbers or dates, the cells of each class that its range tells: its ends are values of
-- the class, and so is a missing one that it speaks of.
-- Reads: classes, the classes by the least and the greatest position (part, this_low, this_first, this_high).
-- Takes: this_first, the least position that is no missing value; this_high and this_low, the least and the greatest.
-- Gives: part; cells, 0 where the range is one value.
SELECT
    part,
    CASE
        WHEN this_first < this_high OR this_first > this_low
            THEN 1 + CAST(this_first < this_high AS INTEGER) + CAST(this_first > this_low AS INTEGER)
        ELSE 0
    END AS cells
FROM classes
