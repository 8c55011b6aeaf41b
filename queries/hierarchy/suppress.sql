-- Built-in suppress: a value keeps its text below the top.
SELECT value, text, text AS place, text AS label_0
FROM builtin_values
