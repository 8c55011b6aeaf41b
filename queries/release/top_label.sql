-- What every value of a hierarchy becomes at its top.
SELECT CAST(max(label_top) AS VARCHAR) AS label
FROM mapping
