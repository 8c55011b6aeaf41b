-- The dimension along which each open partition is halved, and the order of the others, by which ties are sorted.
CREATE OR REPLACE TEMP TABLE cuts AS
SELECT
    chosen.part,
    row_number() OVER (ORDER BY chosen.part) - 1 AS number,
    chosen.best.dimension AS dimension,
    chosen.best.low AS low,
    chosen.best.high AS high,
    chosen.best.left_of_tie AS left_of_tie,
    chosen.places,
    this_live
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
        list(dimension + 1 ORDER BY round(width, 12) DESC, dimension) AS places,
        bool_or(dimension = this_number) AS this_live
    FROM halves
    GROUP BY part
) AS chosen
