-- Answers: how the labels of one column, of both sides, are spread over the groups of its bins; labels that are spread
-- alike share a kind, whatever the order of the sums.
-- Reads: source_bins and release_bins, the bins that each label of a side is spread over (code, bin, weight);
-- utility_grouped, the groups of bins (bin, group_number).
-- Takes: feature_name, of each group but the first the name of its share; feature_number, its number.
-- Gives: the table profiles (is_release, code, kind, feature_name).
CREATE OR REPLACE TEMP TABLE profiles AS
SELECT is_release, code, dense_rank() OVER (ORDER BY shares) AS kind, list_extract(shares, feature_number) AS feature_name
FROM (
    SELECT
        is_release,
        code,
        [LIST_OF(round(sum(CASE WHEN group_number = feature_number THEN weight ELSE 0 END), 12))] AS shares
    FROM (
        SELECT 0 AS is_release, source_bins.code, utility_grouped.group_number, source_bins.weight
        FROM source_bins
        JOIN kanon.utility_grouped ON utility_grouped.bin = source_bins.bin
        UNION ALL
        SELECT 1 AS is_release, release_bins.code, utility_grouped.group_number, release_bins.weight
        FROM release_bins
        JOIN kanon.utility_grouped ON utility_grouped.bin = release_bins.bin
    ) AS weights
    GROUP BY is_release, code
) AS spread
