-- Answers: the values of a column of the source with their bins and their numbers between 0 and 1.
-- Reads: domain, the values of the source with their ranks (value, rank, measure); bins, the bin of each rank (rank,
-- bin).
-- Takes: nothing.
-- Gives: the table codes (value, code, x).
CREATE OR REPLACE TEMP TABLE codes AS
SELECT domain.value, bins.bin AS code, domain.measure AS x
FROM domain
JOIN bins ON bins.rank = domain.rank
