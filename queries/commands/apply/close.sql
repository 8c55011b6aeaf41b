-- The classes that are still open.
DELETE FROM open_classes
WHERE class IN (SELECT class FROM quotas)
