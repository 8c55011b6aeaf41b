-- The rows of an earlier release that are no longer there, of classes that have others in common with it.
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
