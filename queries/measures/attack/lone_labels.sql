-- Answers: the labels of one quasi-identifier at its level that stand for one value of the table, and are not its name.
-- Reads: mapping, the values of a hierarchy with their codes and labels (level_0, label_0, level_code, level_label);
-- tuples, the combinations by the codes of every level (leaf_code).
-- Takes: leaf_code, the column of the codes of values in tuples; level_code and level_label, the columns of codes and
-- labels at the level in mapping.
-- Gives: the table lone (code).
CREATE OR REPLACE TEMP TABLE lone AS
SELECT level_code AS code
FROM mapping
WHERE level_0 IN (SELECT leaf_code FROM tuples)
GROUP BY level_code
HAVING count(DISTINCT level_0) = 1 AND any_value(level_label) IS DISTINCT FROM any_value(label_0)
