-- Answers: built-in suppress: a value keeps its text below the top.
-- Reads: builtin_values, the values of a column as texts (value, text).
-- Takes: nothing.
-- Gives: value, text, place, label_0.
SELECT value, text, text AS place, text AS label_0
FROM kanon.builtin_values
