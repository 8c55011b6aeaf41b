-- Answers: the dimension along which each open partition is halved, and the order of the others, by which ties are
-- sorted.
-- Reads: halves, the relaxed cuts (part, row_count, dimension, low, high, left_of_tie, width).
-- Takes: cut_score, expressions that order the cuts, the greatest first.
-- Gives: the table cuts (part, number, dimension, low, high, left_of_tie, left_rows, row_count, places, live).
CREATE OR REPLACE TEMP TABLE cuts AS
SELECT
    chosen.part,
    row_number() OVER (ORDER BY chosen.part) - 1 AS number,
    chosen.best.dimension AS dimension,
    chosen.best.low AS low,
    chosen.best.high AS high,
    chosen.best.left_of_tie AS left_of_tie,
    chosen.row_count // 2 AS left_rows,
    chosen.row_count,
    chosen.places,
    live
FROM (
    SELECT
        part,
        max(
            {
                'score': cut_score,
                'first': -dimension,
                'low': low,
                'high': high,
                'left_of_tie': left_of_tie,
                'dimension': dimension
            }
        ) AS best,
        any_value(row_count) AS row_count,
        list(dimension + 1 ORDER BY round(width, 12) DESC, dimension) AS places,
        bit_or(CAST(1 AS HUGEINT) << dimension) AS live
    FROM halves
    GROUP BY part
) AS chosen
