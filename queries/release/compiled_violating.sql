-- Answers: the classes that violate k or a model as a statement lists them.
-- Reads: suppressed_classes (see suppressed_classes).
-- Takes: class_code, the codes that tell classes apart; group_code, the name of a group where these fall together.
-- Gives: the codes, and the groups as texts.
SELECT DISTINCT class_code, CAST(group_code AS VARCHAR) AS group_code
FROM kanon.suppressed_classes
ORDER BY class_code, group_code
