-- Answers: the classes that violate k or a model as a statement lists them.
-- Reads: suppressed_classes (see suppressed_classes).
-- Takes: class_code, the codes that tell classes apart.
-- Gives: the codes.
SELECT DISTINCT class_code
FROM kanon.suppressed_classes
ORDER BY class_code
