-- Answers: about how many distinct values each column holds that is released unchanged.
-- Reads: source, the rows of the source (out_key).
-- Takes: nothing.
-- Gives: out_key.
SELECT approx_count_distinct(source.out_key) AS out_key
FROM source
