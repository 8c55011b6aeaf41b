-- Answers: of two prefixes the longer one.
-- Reads: left_labels and right_labels, each the distinct values of one side (code, bare, label); right_prefixes and
-- left_prefixes, each the prefixes that values of one side stand for (code, prefix).
-- Takes: nothing.
-- Gives: further rows of the table narrower (left_code, right_code, said).
INSERT INTO kanon.narrower
SELECT left_labels.code AS left_code, right_prefixes.code AS right_code, right_labels.label AS said
FROM left_labels
JOIN right_prefixes ON right_prefixes.prefix = left_labels.bare
JOIN right_labels ON right_labels.code = right_prefixes.code
UNION ALL
SELECT left_prefixes.code AS left_code, right_labels.code AS right_code, left_labels.label AS said
FROM right_labels
JOIN left_prefixes ON left_prefixes.prefix = right_labels.bare
JOIN left_labels ON left_labels.code = left_prefixes.code
