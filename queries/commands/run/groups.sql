-- Answers: the groups of two rows and more that are equal in some columns, by size: how many there are, and in how many
-- of them all rows have the same finer value of a quasi-identifier.
-- Reads: run_sample, a sample of the rows by codes (seen_code, qi_code).
-- Takes: qi_code, of each quasi-identifier the code of its finer value; qi_fixed, of each quasi-identifier the name of
-- the number of such groups; qi_same, of each quasi-identifier the name of whether all rows of a group have one;
-- seen_code, of each column that is looked at its code.
-- Gives: size, group_count, qi_fixed.
SELECT
    size,
    count(*) AS group_count,
    CAST(sum(CASE WHEN qi_same THEN 1 ELSE 0 END) AS BIGINT) AS qi_fixed
FROM (
    SELECT
        count(*) AS size,
        count(qi_code) = count(*) AND min(qi_code) = max(qi_code) AS qi_same
    FROM kanon.run_sample
    GROUP BY seen_code
    HAVING count(*) > 1
) AS grouped
GROUP BY size
