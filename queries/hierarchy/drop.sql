-- A table that is no longer needed.
DROP TABLE IF EXISTS scratch
