-- Answers: the shares of each kind of labels in each group.
-- Reads: vectors, the shares of each kind of labels (kind, feature_name).
-- Takes: feature_name, of each group the name of its share.
-- Gives: kind, feature_name.
SELECT kind, feature_name
FROM vectors
ORDER BY kind
