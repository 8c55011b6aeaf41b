-- Answers: the rows of the source and of the release at each rank of one column. The rows of a label are spread evenly
-- over the values that it stands for; those of wide runs are summed from where they begin and end.
-- Reads: ranks, the domain of one column rank by rank (rank, row_count); runs, what each label stands for as runs of
-- ranks (code, first, last); labels, the labels of one column of the release (code, row_count).
-- Takes: nothing.
-- Gives: the table shares (rank, source_rows, released_rows).
CREATE OR REPLACE TEMP TABLE shares AS
SELECT
    rank,
    CAST(sum(source_rows) AS DOUBLE) AS source_rows,
    sum(exact) + greatest(sum(sum(step)) OVER (ORDER BY rank ROWS UNBOUNDED PRECEDING), 0) AS released_rows
FROM (
    SELECT rank, row_count AS source_rows, 0.0 AS exact, 0.0 AS step
    FROM ranks
    UNION ALL
    SELECT
        first + way * (last - first + 1) AS rank,
        0 AS source_rows,
        CASE WHEN first = last THEN (1 - way) * share ELSE 0.0 END AS exact,
        CASE WHEN first < last THEN (1 - 2 * way) * share ELSE 0.0 END AS step
    FROM (
        SELECT
            runs.first,
            runs.last,
            CAST(labels.row_count AS DOUBLE) / sum(runs.last - runs.first + 1) OVER (PARTITION BY runs.code) AS share,
            unnest([0, 1]) AS way
        FROM runs
        JOIN labels ON labels.code = runs.code
    ) AS spread
) AS parts
GROUP BY rank
HAVING rank <= (SELECT max(last) FROM (SELECT max(last) AS last FROM runs UNION ALL SELECT max(rank) FROM ranks) AS ends)
