-- Answers: whether any label of the release stands for no value of the source.
-- Reads: label_bins, the bins that each label is spread over (bin).
-- Takes: $most, the number of the bin of such labels.
-- Gives: strange, NULL without any label.
SELECT bool_or(bin = $most) AS strange
FROM label_bins
