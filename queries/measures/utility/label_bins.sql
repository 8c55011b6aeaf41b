-- Answers: how the rows of each label are spread over the bins of its column.
-- Reads: runs, what each label stands for as runs of ranks (code, first, last); bin_runs, the bins of a column as runs
-- of ranks (bin, first, last).
-- Takes: nothing.
-- Gives: the table label_bins (code, bin, weight).
CREATE OR REPLACE TEMP TABLE label_bins AS
SELECT
    sized.code,
    bin_runs.bin,
    sum(least(sized.last, bin_runs.last) - greatest(sized.first, bin_runs.first) + 1) / CAST(sized.size AS DOUBLE) AS weight
FROM (SELECT code, first, last, sum(last - first + 1) OVER (PARTITION BY code) AS size FROM runs) AS sized
JOIN bin_runs ON sized.first <= bin_runs.last AND sized.last >= bin_runs.first
GROUP BY sized.code, sized.size, bin_runs.bin
