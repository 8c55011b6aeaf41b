-- Answers: which files of a lake no snapshot needs any more, so that they are to be removed.
-- Reads: lake_scheduled, the catalog's table of them.
-- Takes: nothing.
-- Gives: rows (path, within: whether it is relative to the folder of the lake).
SELECT path, path_is_relative AS within
FROM lake_scheduled
ORDER BY path
