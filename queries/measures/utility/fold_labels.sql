-- Answers: the texts of a column of the release that have a bin of their own, or one of those that share the last.
-- Those that stand for no value of the source, whose bin is behind the last one, are kept as one of them.
-- Reads: labels, the labels of one column of the release (code, value); release_bins, the bins that each label is
-- spread over (code, bin).
-- Takes: $rest, the number of the last bin; $is_rest, which of both is asked for.
-- Gives: the table folded (value, kept), kept the text that a text is read as.
CREATE OR REPLACE TEMP TABLE folded AS
SELECT DISTINCT
    CASE WHEN $is_rest THEN least_value ELSE value END AS value,
    CASE WHEN $is_rest OR bin > $rest THEN least_value ELSE value END AS kept
FROM (
    SELECT labels.value, release_bins.bin, min(labels.value) OVER (PARTITION BY release_bins.bin) AS least_value
    FROM labels
    JOIN release_bins ON release_bins.code = labels.code
    WHERE (release_bins.bin = $rest) = $is_rest AND labels.value IS NOT NULL
) AS texts
