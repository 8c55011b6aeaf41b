-- Answers: the values of a quasi-identifier in each released class of a lattice node.
-- Reads: tuples, the distinct combinations of codes of every level (key_code, value_code, row_count); node_classes, the
-- released classes (part, key_code).
-- Takes: key_code, the codes that tell classes apart; value_code, the code of a value.
-- Gives: part, NULL where rows are suppressed, code, row_count.
SELECT node_classes.part, tuples.value_code AS code, tuples.row_count
FROM tuples
LEFT JOIN node_classes ON node_classes.key_code = tuples.key_code
