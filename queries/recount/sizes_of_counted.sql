-- Answers: how many rows each class has, where its sensitive values are counted anyway: the rows are not read again.
-- Reads: counted, the values of the classes: qi_value, row_count.
-- Takes: nothing.
-- Gives: qi_value, size, holders.
SELECT qi_value, sum(row_count) AS size, sum(row_count) AS holders
FROM counted
GROUP BY qi_value
