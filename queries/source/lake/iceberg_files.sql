-- Answers: which files hold the rows and the deletes of a snapshot of an Iceberg table.
-- Reads: snapshot_files, the list of the snapshot (file_path, status).
-- Takes: nothing.
-- Gives: rows (file_path), as the table names them.
SELECT file_path
FROM snapshot_files
WHERE status <> 'DELETED'
ORDER BY file_path
