-- Answers: the labels of one quasi-identifier at one level of its hierarchy: those of lower levels as what lies above
-- them there, with the rows of the source below; those of the level and of higher ones as they are, as the top may be
-- called otherwise where missing values are in it, the latter with code -1.
-- Reads: page_known, the labels of the release with their nodes (label, row_count, level, node); nodes, the nodes of
-- the hierarchy (level, node, label); domain, the values of the source by their positions (position, value); frequency,
-- the distinct tuples of the source (this_position, row_count).
-- Takes: own_level, the level; level_shift, of each level the shift of a position to its node there; own_shift, the
-- shift of the level; this_position, the column of positions; value_place, where a value lies in order, NULL where
-- there is none.
-- Gives: the table page_placed (label, row_count, code, place, source_rows).
CREATE OR REPLACE TEMP TABLE kanon.page_placed AS
SELECT
    released.label,
    released.row_count,
    released.code,
    places.place,
    CAST(coalesce(counted.row_count, 0) AS BIGINT) AS source_rows
FROM (
    SELECT
        CASE WHEN lifted.is_lower THEN above.label ELSE lifted.label END AS label,
        lifted.code,
        CAST(sum(lifted.row_count) AS BIGINT) AS row_count
    FROM (
        SELECT
            label,
            row_count,
            label IS NOT NULL AND level < own_level AS is_lower,
            CASE WHEN level > own_level THEN -1 ELSE node >> (own_shift - [LIST_OF(level_shift)][level + 1]) END
                AS code
        FROM kanon.page_known
    ) AS lifted
    LEFT JOIN nodes AS above ON above.level = own_level AND above.node = lifted.code
    GROUP BY CASE WHEN lifted.is_lower THEN above.label ELSE lifted.label END, lifted.code
) AS released
LEFT JOIN (
    SELECT this_position >> own_shift AS code, sum(row_count) AS row_count
    FROM kanon.frequency
    GROUP BY this_position >> own_shift
) AS counted ON counted.code = released.code
LEFT JOIN (
    SELECT position >> own_shift AS code, min(value_place) AS place
    FROM domain
    GROUP BY position >> own_shift
) AS places ON places.code = released.code
