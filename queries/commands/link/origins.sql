-- Which combined tuples each combination of the source can have become.
CREATE OR REPLACE TEMP TABLE origins AS
SELECT DISTINCT first_pairs.left_number AS number, first_pairs.left_rows AS row_count, combined.tuple
FROM first_pairs
JOIN second_pairs ON second_pairs.left_number = first_pairs.left_number
JOIN combined
    ON combined.left_number = first_pairs.right_number
    AND combined.right_number = second_pairs.right_number
