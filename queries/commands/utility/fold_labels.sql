-- Answers: the texts of a column of the release that have a bin of their own, or one of those that share the last.
-- Reads: labels, the labels of one column of the release (code, value); release_bins, the bins that each label is
-- spread over (code, bin).
-- Takes: $rest, the number of the last bin; $is_rest, which of both is asked for.
-- Gives: the table folded (value).
CREATE OR REPLACE TEMP TABLE folded AS
SELECT CASE WHEN $is_rest THEN min(labels.value) ELSE labels.value END AS value
FROM labels
JOIN release_bins ON release_bins.code = labels.code
WHERE (release_bins.bin >= $rest) = $is_rest AND labels.value IS NOT NULL
GROUP BY CASE WHEN $is_rest THEN NULL ELSE labels.value END
