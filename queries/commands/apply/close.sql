-- Answers: the classes that are still open.
-- Reads: open_classes, the classes that are not decided; quotas, how many rows of each row text are released (class).
-- Takes: nothing.
-- Gives: the table open_classes without these rows.
DELETE FROM open_classes
WHERE class IN (SELECT class FROM quotas)
