-- Answers: which combinations are there at the lowest levels of a lattice? As coarser_packed, with the counts of
-- sensitive values, several in one number.
-- Reads: sensitive, a sensitive column beside the codes of every level (cell_code, value, row_count).
-- Takes: cell_code, of each level that distinguishes rows the column of its codes; cell_factor, what the codes of that
-- quasi-identifier are multiplied by; meet_code, the columns of the lowest levels; tally_name, the columns that tally
-- values, tally_number, from 0; tallied, how many values each tallies, and count_bits, the bits of each count.
-- Gives: the table coarser (cell_code, row_count, tally_name).
CREATE OR REPLACE TEMP TABLE coarser AS
SELECT
    CAST(sensitive.cell_code AS BIGINT) * cell_factor AS cell_code,
    rolled.row_count AS row_count,
    rolled.tally_name AS tally_name
FROM sensitive
JOIN (
    SELECT
        min(rowid) AS first_row,
        CAST(sum(row_count) AS BIGINT) AS row_count,
        CAST(
            sum(CASE WHEN value // tallied = tally_number THEN row_count << (value % tallied * count_bits) ELSE 0 END)
            AS BIGINT
        ) AS tally_name
    FROM (
        SELECT meet_code, CAST(value AS BIGINT) AS value, CAST(row_count AS BIGINT) AS row_count, rowid
        FROM sensitive
    ) AS counted
    GROUP BY meet_code
) AS rolled ON rolled.first_row = sensitive.rowid
