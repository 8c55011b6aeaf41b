-- Answers: which values of a quasi-identifier the rows of each class hold; missing ones are none.
-- Reads: members, the tuples of each class (part, NULL where rows are suppressed; code, row_count); aggregated, the
-- values by their codes (code, place, number, label).
-- Takes: nothing.
-- Gives: the table held (part, place, number, label, row_count).
CREATE OR REPLACE TEMP TABLE held AS
SELECT
    members.part,
    aggregated.place,
    min(aggregated.number) AS number,
    min(aggregated.label) AS label,
    CAST(sum(members.row_count) AS BIGINT) AS row_count
FROM members
JOIN aggregated ON aggregated.code = members.code
GROUP BY members.part, aggregated.place
