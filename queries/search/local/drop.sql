-- A table that is large and no longer needed.
DROP TABLE IF EXISTS unneeded
