-- Dates and timestamps as moments.
SELECT value, text, typed_moment AS moment
FROM builtin_values
