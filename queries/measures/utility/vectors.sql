-- Answers: the shares of each kind of labels in each group.
-- Reads: profiles, how the labels of one column are spread over groups (kind, feature_name).
-- Takes: feature_name, of each group the name of its share.
-- Gives: the table vectors (kind, feature_name).
CREATE OR REPLACE TEMP TABLE vectors AS
SELECT DISTINCT kind, feature_name
FROM profiles
