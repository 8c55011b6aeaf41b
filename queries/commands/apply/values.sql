-- One sensitive column of the sets, as the models read it.
SELECT class, release, side, code AS value, row_count
FROM sets
