-- Answers: dates and timestamps as moments.
-- Reads: builtin_values, the values of a column as texts (value, text).
-- Takes: typed_moment, the value as a moment.
-- Gives: value, text, moment.
SELECT value, text, typed_moment AS moment
FROM kanon.builtin_values
