-- Distinct l-diversity: classes of fewer than l values. A missing value is none.
SELECT key_code, TRUE AS violates
FROM class_counts
GROUP BY key_code
HAVING count(CASE WHEN value > 0 THEN 1 END) < $l
