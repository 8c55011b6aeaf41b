-- Answers: of columns of free text, in how many rows a value holds what names somebody.
-- Reads: profile_values, the distinct values of all columns (position, value, row_count).
-- Takes: $positions, the columns.
-- Gives: position, all rows, and those that hold an e-mail address, a telephone number, a name with a title.
WITH spelled AS (
    SELECT
        position,
        row_count,
        regexp_replace(strip_accents(trim(left(value, 2000))), '[^\x00-\x7F]', 'x', 'g') AS v
    FROM kanon.profile_values
    WHERE position IN (SELECT unnest($positions))
),

parted AS (
    SELECT *, len(string_split_regex(v, '\s+')) AS words_of
    FROM spelled
)

SELECT
    position,
    CAST(sum(row_count) AS BIGINT) AS row_total,
    CAST(coalesce(sum(row_count) FILTER (WHERE CASE WHEN words_of > 1 AND contains(v, '@')
        THEN regexp_matches(v, '[^\s@]+@[^\s@]+\.[A-Za-z]{2,}') END), 0) AS BIGINT) AS holds_email,
    CAST(coalesce(sum(row_count) FILTER (WHERE CASE WHEN words_of > 3
        THEN regexp_matches(v, '(\+\d{1,3}|\b0\d|\(\d{3}\))[\d ()/.-]{6,}\d|\b\d{3}[-.]\d{3}[-.]\d{4}\b') END), 0) AS BIGINT) AS holds_telephone,
    CAST(coalesce(sum(row_count) FILTER (WHERE CASE WHEN words_of > 3
        THEN regexp_matches(v, '\b(Mr|Mrs|Ms|Dr|Herrn?|Frau|Mme|Monsieur|Madame|Senora?|Sig|Sra?|Pani?|Dhr|Mevr)\.? [A-Z][A-Za-z]+') END), 0) AS BIGINT) AS holds_name
FROM parted
GROUP BY position
