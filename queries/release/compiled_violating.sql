-- The classes that violate k or a model, by the codes of their values.
SELECT DISTINCT class_code
FROM suppressed_classes
ORDER BY class_code
