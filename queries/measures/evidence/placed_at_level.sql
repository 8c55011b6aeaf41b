-- Answers: the labels of one quasi-identifier that was released at one level: where each lies in the hierarchy, and how
-- many rows of the source lie below it. A masked value lies nowhere, and no row of the source does.
-- Reads: page_label_counts, the labels of the release with their rows (label, row_count); mapping, the mapping table
-- (level_code, value); costs, the released values of every level with the rows of the source (level, code, row_count).
-- Takes: known_text, the label of a value at the level, as text; label_key, a label of the release, as such a text;
-- value_place, where a value lies in order, NULL where there is none; level_code, the column of the level's codes;
-- level_number, the level; $first_code, the least code that has a label.
-- Gives: the table page_placed (label, row_count, code, place, source_rows).
CREATE OR REPLACE TEMP TABLE kanon.page_placed AS
SELECT
    labelled.label,
    labelled.row_count,
    labelled.code,
    labelled.place,
    CAST(coalesce(costs.row_count, 0) AS BIGINT) AS source_rows
FROM (
    SELECT
        released.label,
        released.row_count,
        CASE WHEN released.label IS NULL THEN 0 ELSE known.code END AS code,
        known.place
    FROM kanon.page_label_counts AS released
    LEFT JOIN (
        SELECT known_text AS text, min(level_code) AS code, min(value_place) AS place
        FROM mapping
        WHERE level_code >= $first_code
        GROUP BY known_text
    ) AS known ON known.text = label_key
) AS labelled
LEFT JOIN costs ON costs.level = level_number AND costs.code = labelled.code
