-- Values of which one is a prefix of the other.
INSERT INTO matches
SELECT left_labels.code AS left_code, right_prefixes.code AS right_code
FROM left_labels
JOIN right_prefixes ON right_prefixes.prefix = left_labels.bare
UNION ALL
SELECT left_prefixes.code AS left_code, right_labels.code AS right_code
FROM right_labels
JOIN left_prefixes ON left_prefixes.prefix = right_labels.bare
