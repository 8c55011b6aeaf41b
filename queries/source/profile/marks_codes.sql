-- Answers: of values with digits: whether they are codes, and which: addresses of machines, diagnoses, postal codes ...
-- Reads: profile_sample, the values (position, v, l, c, length_of, words_of, has_digit).
-- Takes: nothing.
-- Gives: position, and a truth value for each mark, false or NULL where it is absent.
SELECT
    position,
    CASE WHEN words_of = 1 THEN regexp_full_match(v, '[A-Za-z0-9]+([./_:#+-][A-Za-z0-9]+)*[!*+]?') AND regexp_matches(v, '\d') END AS coded,
    regexp_full_match(v, '[0-9a-fA-F]{16,128}') AND regexp_matches(l, '[a-f]') AS hexadecimal,
    CASE WHEN contains(v, '.') THEN regexp_full_match(v, '(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}(:\d{1,5}|/\d{1,2})?') END AS ip_4,
    regexp_full_match(l, '\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?') AS uuid,
    regexp_full_match(l, '([0-9a-f]{2}[:-]){5}[0-9a-f]{2}') AS hardware,
    CASE WHEN length_of <= 10 THEN regexp_full_match(v, '[A-TV-Z]\d[0-9AB](\.?[0-9A-Z]{1,4}|\.-)?[*+!]?( ?[GVAZ])?') END AS icd,
    CASE WHEN length_of <= 10 THEN regexp_full_match(v, '[A-TV-Z]\d[0-9AB]\.([0-9A-Z]{1,4}|-)[*+!]?( ?[GVAZ])?') END AS icd_dotted,
    regexp_full_match(v, '\(?[+-]?\d{1,2}\.\d{2,}[,; ]+[+-]?\d{1,3}\.\d{2,}\)?')
    OR regexp_full_match(v, '(?i)point ?\(.*\)')
    OR regexp_matches(v, '^[NSEW]? ?\d{1,3} ?(°|x).*[NSEWO]?$') AS coordinate_pair,
    CASE WHEN length_of <= 10 THEN regexp_full_match(c, '(GIR0AA|[A-Z]{1,2}\d[A-Z\d]?\d[A-Z]{2})') AND length(c) BETWEEN 5 AND 7 END AS postal_uk,
    CASE WHEN length_of <= 10 THEN regexp_full_match(c, '[A-Z]\d[A-Z]\d[A-Z]\d') END AS postal_ca,
    CASE WHEN length_of <= 10 THEN regexp_full_match(v, '[1-9]\d{3} ?[A-Z]{2}') END AS postal_nl,
    CASE WHEN length_of <= 10 THEN regexp_full_match(v, '\d{2}-\d{3}|\d{4}-\d{3}|\d{5}-\d{3,4}|\d{3} \d{2}') END AS postal_parted,
    CASE WHEN length_of <= 10 THEN regexp_full_match(v, '([A-Z]{1,2}-)?\d{5}') END AS postal_five,
    CASE WHEN length_of <= 10 THEN regexp_full_match(v, '([A-Z]{1,2}-)?\d{4}') END AS postal_four,
    CASE WHEN length_of = 11 THEN regexp_full_match(v, '(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])\d{2}[-+A-FU-Y]\d{3}[0-9A-Y]') AND
    '0123456789ABCDEFHJKLMNPRSTUVWXY'[TRY_CAST(v[:6] || v[8:10] AS BIGINT) % 31 + 1] = v[11] END AS fi_hetu
FROM kanon.profile_sample
WHERE has_digit
