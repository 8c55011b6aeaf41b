-- Answers: what each set of texts costs: its members less one beside those of the whole column.
-- Reads: labels, the labels of the release (label, bare).
-- Takes: $values, how many values the column has.
-- Gives: the table costs (label, cost).
CREATE OR REPLACE TEMP TABLE costs AS
SELECT
    label,
    CASE
        WHEN starts_with(bare, '{') AND ends_with(bare, '}')
            THEN (
                len(regexp_extract_all(substr(bare, 2, length(bare) - 2) || ', ', '("(?:[^"\\]|\\.)*"|[^,"]*), ')) - 1
            ) / CAST(greatest($values - 1, 1) AS DOUBLE)
        ELSE 0.0
    END AS cost
FROM labels
