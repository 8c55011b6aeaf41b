-- Answers: which combinations are there at the lowest levels of a lattice? With the codes of every level above, each at
-- its place in a number that packs the codes of a class, so that sums of them are the keys of classes.
-- Reads: tuples, the combinations by the codes of every level (cell_code, row_count).
-- Takes: cell_code, of each level that distinguishes rows the column of its codes; cell_factor, what the codes of that
-- quasi-identifier are multiplied by; meet_code, the columns of the lowest levels.
-- Gives: the table coarser (cell_code, row_count).
CREATE OR REPLACE TEMP TABLE coarser AS
SELECT
    CAST(tuples.cell_code AS BIGINT) * cell_factor AS cell_code,
    rolled.row_count AS row_count
FROM kanon.tuples
JOIN (
    SELECT min(rowid) AS first_row, CAST(sum(row_count) AS BIGINT) AS row_count
    FROM kanon.tuples
    GROUP BY meet_code
) AS rolled ON rolled.first_row = tuples.rowid
