-- Answers: what a release and an earlier one tell apart, where another engine holds both: of each class by its
-- sensitive values how many rows both hold, were added and were removed. Both are read anew.
-- Reads: written, the release as it was written (cell_fresh, sensitive_fresh); earlier, an earlier release (cell_past,
-- sensitive_past).
-- Takes: cell_fresh and cell_past, of each released column its text in the new release and in the earlier one;
-- cell_name, its name; sensitive_fresh and sensitive_past, of each sensitive column its values there; sensitive_code,
-- its name; qi_name, of each quasi-identifier the name of its text.
-- Gives: qi_name, sensitive_code, kept, added, removed.
SELECT
    qi_name,
    sensitive_code,
    CAST(sum(CASE WHEN fresh < past THEN fresh ELSE past END) AS BIGINT) AS kept,
    CAST(sum(CASE WHEN fresh > past THEN fresh - past ELSE 0 END) AS BIGINT) AS added,
    CAST(sum(CASE WHEN past > fresh THEN past - fresh ELSE 0 END) AS BIGINT) AS removed
FROM (
    SELECT cell_name, sensitive_code, count(is_fresh) AS fresh, count(is_past) AS past
    FROM (
        SELECT cell_fresh AS cell_name, sensitive_fresh AS sensitive_code, 1 AS is_fresh, CAST(NULL AS BIGINT) AS is_past
        FROM written
        UNION ALL
        SELECT cell_past AS cell_name, sensitive_past AS sensitive_code, CAST(NULL AS BIGINT) AS is_fresh, 1 AS is_past
        FROM earlier
    ) AS both_releases
    GROUP BY cell_name, sensitive_code
) AS row_texts
GROUP BY qi_name, sensitive_code
