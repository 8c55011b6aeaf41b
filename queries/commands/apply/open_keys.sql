-- Answers: the keys of the classes that are still open.
-- Reads: counts, the classes, numbered (class_key, class); open_classes, the classes that are not decided (class).
-- Takes: nothing.
-- Gives: class_key.
SELECT counts.class_key
FROM counts
JOIN open_classes ON open_classes.class = counts.class
