-- Answers: the rows that two releases have in common.
-- Reads: written, the release as it was written (cell_fresh); earlier, an earlier release (cell_past).
-- Takes: cell_fresh, of each released column its text in the new release; cell_name, of each released column its name;
-- cell_past, of each released column its text in the earlier one.
-- Gives: cell_name.
SELECT cell_fresh AS cell_name
FROM written
INTERSECT ALL
SELECT cell_past AS cell_name
FROM earlier
