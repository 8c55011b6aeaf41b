-- About how many distinct values each column holds that is released unchanged.
SELECT approx_count_distinct(source.out_key) AS out_key
FROM source
