-- Answers: whether any class is still open.
-- Reads: open_classes, the classes that are not decided (nothing of them).
-- Takes: nothing.
-- Gives: is_open.
SELECT count(*) > 0 AS is_open
FROM open_classes
