-- Answers: what the rows of each released class tell of a column.
-- Reads: release_rows, the coded frequency table of the release (this_code, row_count); runs, what each label of the
-- column stands for as runs of ranks (code, first); groups, what has to be guessed (rank, secret).
-- Takes: this_code, the column of codes; class_key, the name of a class.
-- Gives: the table told (node, secret, row_count).
CREATE OR REPLACE TEMP TABLE told AS
SELECT class_key AS node, groups.secret, CAST(sum(release_rows.row_count) AS BIGINT) AS row_count
FROM release_rows
JOIN (SELECT code, min(first) AS rank FROM runs GROUP BY code) AS named ON named.code = release_rows.this_code
LEFT JOIN groups ON groups.rank = named.rank
GROUP BY class_key, groups.secret
