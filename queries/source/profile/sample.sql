-- Answers: a sample of the distinct values of every column that no order or frequency decides: about as many as asked;
-- and of each value, without accents, what the marks are found in.
-- Reads: profile_values, the distinct values of all columns (position, value, row_count).
-- Takes: $positions, the columns; $most, the values of each; $spellings, texts that are likely missing and left out.
-- Gives: the table profile_sample (position, value, row_count; v, the value in letters of ASCII; l, in lower case;
-- c, letters and digits in upper case; d, digits; length_of, words_of, has_digit, numeral).
CREATE OR REPLACE TEMP TABLE kanon.profile_sample AS
WITH sizes AS (
    SELECT position, greatest(1, count(*) // $most) AS step
    FROM kanon.profile_values
    WHERE position IN (SELECT unnest($positions))
    GROUP BY position
),

drawn AS (
    SELECT value.position, trim(left(value.value, 2000)) AS value, value.row_count
    FROM kanon.profile_values AS value
    JOIN sizes ON sizes.position = value.position
    WHERE hash(value.value, 17) % sizes.step = 0
        AND value.value NOT IN (SELECT unnest($spellings))
),

spelled AS (
    SELECT
        *,
        regexp_replace(
            translate(strip_accents(value), '’‘–—  ŁłØøÆæŒœßĐđıþð', '''''--  LlOoAaOosDdihd'), '[^\x00-\x7F]', 'x', 'g'
        ) AS v
    FROM drawn
)

SELECT
    *,
    lower(v) AS l,
    CASE WHEN length(v) <= 60 THEN regexp_replace(upper(v), '[\s./-]', '', 'g') END AS c,
    CASE WHEN length(v) <= 40 THEN regexp_replace(v, '[^0-9]', '', 'g') END AS d,
    length(v) AS length_of,
    len(string_split_regex(v, '\s+')) AS words_of,
    regexp_matches(v, '\d') AS has_digit,
    regexp_full_match(v, '[-+0-9.,'' eE]+') AS numeral
FROM spelled
