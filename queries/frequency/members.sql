-- Answers: the rows that take part, beside the codes of every level, with what is counted of them: entities, groups,
-- sensitive values.
-- Reads: qi_codes, of each quasi-identifier the table of codes (level_0); records, the rows counted by codes and
-- further columns (qi_leaf, carried_name, row_count).
-- Takes: carried_name, of each further column its name; cell_codes, of each level of each quasi-identifier its table of
-- codes; cell_level, of each such level its column there; cell_name, of each such level its name here; qi_leaf, of each
-- quasi-identifier the column of its codes, leaves of the hierarchy.
-- Gives: the table members (cell_name, carried_name, row_count).
CREATE OR REPLACE TEMP TABLE members AS
SELECT cell_codes.cell_level AS cell_name, records.carried_name, records.row_count
FROM kanon.records
JOIN qi_codes ON qi_codes.level_0 = records.qi_leaf
