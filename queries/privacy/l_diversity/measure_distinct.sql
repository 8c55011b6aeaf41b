-- Distinct l-diversity: how many values each class holds.
SELECT qi_value, count(DISTINCT value) AS measure, count(DISTINCT value) < $l AS violates
FROM counted
GROUP BY qi_value
