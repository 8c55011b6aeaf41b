-- Answers: the rows of an earlier release that are no longer there, of classes that have others in common with it.
-- Reads: kept, the rows that both hold (qi_name); earlier, an earlier release (cell_past); written, the release as it
-- was written (cell_fresh).
-- Takes: cell_fresh, of each released column its text in the new release; cell_name, of each released column its name;
-- cell_past, of each released column its text in the earlier one; qi_name, of each quasi-identifier the column of its
-- text.
-- Gives: the columns that are read.
SELECT *
FROM (
    SELECT cell_past AS cell_name
    FROM earlier
    EXCEPT ALL
    SELECT cell_fresh AS cell_name
    FROM written
) AS gone
WHERE EXISTS (
    SELECT 1
    FROM kept
    WHERE kept.qi_name IS NOT DISTINCT FROM gone.qi_name
)
