-- Answers: which combinations are there at some levels of a lattice, counted from those at levels below?
-- Reads: finer, the combinations there (cell_code, row_count, tally_name).
-- Takes: cell_code, of each level from these on that distinguishes rows the column of its codes; meet_code, the columns
-- of these levels themselves; tally_name, the columns that tally sensitive values, if any do.
-- Gives: the table coarser (cell_code, row_count, tally_name).
CREATE OR REPLACE TEMP TABLE coarser AS
SELECT
    finer.cell_code AS cell_code,
    rolled.row_count AS row_count,
    rolled.tally_name AS tally_name
FROM finer
JOIN (
    SELECT
        min(rowid) AS first_row,
        CAST(sum(row_count) AS BIGINT) AS row_count,
        CAST(sum(tally_name) AS BIGINT) AS tally_name
    FROM finer
    GROUP BY meet_code
) AS rolled ON rolled.first_row = finer.rowid
