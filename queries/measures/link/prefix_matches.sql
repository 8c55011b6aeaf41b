-- Answers: values of which one is a prefix of the other.
-- Reads: left_labels and right_labels, each the distinct values of one side (code, bare); right_prefixes and
-- left_prefixes, each the prefixes that values of one side stand for (code, prefix).
-- Takes: nothing.
-- Gives: further rows of the table matches (left_code, right_code).
INSERT INTO kanon.matches
SELECT left_labels.code AS left_code, right_prefixes.code AS right_code
FROM left_labels
JOIN right_prefixes ON right_prefixes.prefix = left_labels.bare
UNION ALL
SELECT left_prefixes.code AS left_code, right_labels.code AS right_code
FROM right_labels
JOIN left_prefixes ON left_prefixes.prefix = right_labels.bare
