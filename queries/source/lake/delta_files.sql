-- Answers: which files hold the rows of a version of a Delta table.
-- Reads: snapshot_files, the list of the version (data_file).
-- Takes: nothing.
-- Gives: rows (data_file), as the engine reads them.
SELECT data_file
FROM snapshot_files
ORDER BY data_file
