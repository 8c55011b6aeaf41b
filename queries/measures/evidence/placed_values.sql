-- Answers: the labels of one quasi-identifier without hierarchy of which every one is a value, with their rows in the
-- source; a range or a set has no code.
-- Reads: page_label_counts, the labels of the release with their rows (label, row_count); places, the values of the
-- source by their positions (label, position); frequency, the distinct tuples of the source (this_position, row_count).
-- Takes: label_place, where a label lies in order, NULL where there is none; this_position, the column of positions.
-- Gives: the table page_placed (label, row_count, code, place, source_rows).
CREATE OR REPLACE TEMP TABLE kanon.page_placed AS
SELECT
    released.label,
    released.row_count,
    CASE WHEN released.label IS NULL THEN 0 ELSE places.position END AS code,
    CAST(released.place AS DOUBLE) AS place,
    CAST(coalesce(counted.row_count, 0) AS BIGINT) AS source_rows
FROM (SELECT label, row_count, label_place AS place FROM kanon.page_label_counts) AS released
LEFT JOIN places ON places.label = released.label AND places.position > 0
LEFT JOIN (
    SELECT this_position AS position, sum(row_count) AS row_count
    FROM kanon.frequency
    GROUP BY this_position
) AS counted ON counted.position = CASE WHEN released.label IS NULL THEN 0 ELSE places.position END
