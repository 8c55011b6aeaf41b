-- Answers: whether as many rows of a release as were masked are * in every quasi-identifier; others may be so, too.
-- Reads: released, the release as it was written: qi_name.
-- Takes: masked_rows, how many rows were masked.
-- Gives: one row: all_there.
SELECT count(CASE WHEN ALL_OF(coalesce(CAST(qi_name AS VARCHAR), '') = '*') THEN 1 END) >= masked_rows AS all_there
FROM released
