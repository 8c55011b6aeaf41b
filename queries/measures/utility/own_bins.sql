-- Answers: the bins of the source's own values: each is spread over itself.
-- Reads: bins, the bin of each rank (bin).
-- Takes: nothing.
-- Gives: the table label_bins (code, bin, weight).
CREATE OR REPLACE TEMP TABLE label_bins AS
SELECT DISTINCT bin AS code, bin, 1.0 AS weight
FROM bins
