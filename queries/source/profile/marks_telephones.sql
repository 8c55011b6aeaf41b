-- Answers: of values with six digits or more: whether they are telephone numbers, as several
-- countries write them.
-- Reads: profile_sample, the values (position, v, d, length_of).
-- Takes: nothing.
-- Gives: position, and a truth value for each mark, false or NULL where it is absent.
SELECT
    position,
    regexp_full_match(v, '(\+|00) ?[1-9][0-9 ()/.-]{6,20}( ?(x|ext\.?) ?\d{1,5})?')
    AND length(d) BETWEEN 8 AND 17 AS telephone_abroad,
    regexp_full_match(v, '((\+?1|001)[-. ]?)?(\([2-9]\d{2}\) ?|[2-9]\d{2}[-. /])\d{3}[-. ]\d{4}( ?(x|ext\.?) ?\d{1,5})?') AS telephone_us,
    regexp_full_match(v, '\(?0[1-9]\d{0,4}\)?( ?[-/. ] ?|\))\d{2,8}([- /]?\d{1,8}){0,4}') AND length(d) BETWEEN 7 AND 13
    AND NOT regexp_full_match(v, '\d{1,2}[-/. ]\d{1,2}[-/. ]\d{2,4}') AS telephone_trunk,
    regexp_full_match(v, '0[1-9]([ .-]?\d{2}){4}') AS telephone_fr,
    regexp_full_match(v, '\(?0[1-9]\d{1,4}\)? ?\d{3,4} ?\d{3,6}') AND length(d) BETWEEN 10 AND 11 AS telephone_uk,
    regexp_full_match(v, '[6789]\d{2}([ .-]\d{3}){2}|[6789]\d{2}([ .-]\d{2}){3}') AS telephone_es,
    regexp_full_match(v, '[+(]?[0-9][0-9 ()/.x+-]{5,24}') AND length(d) BETWEEN 6 AND 17 AS telephone_digits,
    CASE WHEN length(d) BETWEEN 10 AND 13 AND d <> v THEN regexp_full_match(v, '\(?0?\d{2,3}\)? ?\d{4,5}[ -]?\d{4}') END AS telephone_br,
    telephone_abroad OR telephone_us OR telephone_br OR telephone_trunk OR telephone_fr OR telephone_uk OR telephone_es AS telephone
FROM kanon.profile_sample
WHERE length(d) BETWEEN 6 AND 20 AND length_of <= 40
