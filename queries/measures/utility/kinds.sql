-- Answers: the rows of one side by the kinds of their labels, and by the bin of a column that is to be predicted.
-- Reads: coded, the frequency table of one side with codes (item_code, target_code, row_count); item_profiles, of each
-- column how its labels are spread over groups (is_release, code, kind).
-- Takes: side_number, 1 for the release; item_code, of each column its codes; item_kind, of each column the name of its
-- kinds here; item_profiles, of each column the table of its profiles; target_code, what is to be predicted.
-- Gives: is_release, target, item_kind, row_count.
SELECT
    side_number AS is_release,
    CAST(target_code AS BIGINT) AS target,
    item_profiles.kind AS item_kind,
    CAST(sum(coded.row_count) AS BIGINT) AS row_count
FROM coded
JOIN item_profiles ON item_profiles.code = coded.item_code AND item_profiles.is_release = side_number
GROUP BY CAST(target_code AS BIGINT), item_profiles.kind
