-- Answers: of values that digits and marks of numbers make up: how they may be read as numbers, and what they may be.
-- Reads: profile_sample, the values (position, v, numeral).
-- Takes: nothing.
-- Gives: position, and a truth value for each mark, false or NULL where it is absent.
SELECT
    position,
    regexp_full_match(v, '[+-]?(0|[1-9]\d*)') AS whole,
    regexp_full_match(v, '0\d+') AS padded,
    regexp_full_match(v, '[+-]?\d+\.0+') AS whole_with_zeros,
    regexp_full_match(v, '[+-]?(\d{1,3}([., '']\d{3})+|\d+)') AS whole_grouped,
    regexp_full_match(v, '[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?') AS number_point,
    regexp_full_match(v, '[+-]?\d+(,\d+)?') AS number_comma,
    regexp_full_match(v, '[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?') AS number_point_comma,
    regexp_full_match(v, '[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?') AS number_comma_point,
    regexp_full_match(v, '[+-]?(\d{1,3}( \d{3})+|\d+)(\.\d+)?') AS number_point_blank,
    regexp_full_match(v, '[+-]?(\d{1,3}( \d{3})+|\d+)(,\d+)?') AS number_comma_blank,
    regexp_full_match(v, '[+-]?(\d{1,3}(''\d{3})+|\d+)(\.\d+)?') AS number_point_apostrophe,
    regexp_full_match(v, '\d+') AS digits_only,
    regexp_full_match(v, '(19|20)\d{2}') AS year_alone,
    TRY_CAST(v AS DOUBLE) BETWEEN 0 AND 120 AS of_age,
    regexp_full_match(v, '[+-]?\d{1,2}\.\d{3,}') AND abs(TRY_CAST(v AS DOUBLE)) <= 90 AS latitude,
    regexp_full_match(v, '[+-]?\d{1,3}\.\d{3,}') AND abs(TRY_CAST(v AS DOUBLE)) <= 180 AS longitude
FROM kanon.profile_sample
WHERE numeral
