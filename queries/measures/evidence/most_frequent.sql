-- Answers: the labels that most rows of the release have.
-- Reads: page_placed, the labels of the release (label, place, row_count, source_rows).
-- Takes: $most, how many.
-- Gives: label, place, row_count, source_rows.
SELECT label, place, row_count, source_rows
FROM kanon.page_placed
ORDER BY row_count DESC, place NULLS LAST, label NULLS LAST
LIMIT $most
