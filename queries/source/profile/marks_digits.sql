-- Answers: of values that are digits, with marks between them at most: for which numbers of persons and cards the
-- check digit holds.
-- Reads: profile_sample, the values (position, v, c).
-- Takes: nothing.
-- Gives: position, and a truth value for each mark, false or NULL where it is absent.
WITH numbers AS MATERIALIZED (
    SELECT position, v, c, list_transform(string_split(c, ''), lambda x: ord(x) - 48) AS n
    FROM kanon.profile_sample
    WHERE regexp_full_match(c, '\d{8,19}')
)

SELECT
    position,
    CASE WHEN regexp_full_match(c, '4\d{12}(\d{3})?(\d{3})?|[25]\d{15}|3[47]\d{13}|3[068]\d{12}|35\d{14}|(1800|2131)\d{11}|6\d{15,18}|[56]\d{11,18}') THEN list_sum(list_transform(
        list_reverse(n), lambda x, i: CASE WHEN i % 2 = 1 THEN x WHEN x > 4 THEN 2 * x - 9 ELSE 2 * x END
    )) % 10 = 0 END AS credit_card,
    CASE WHEN regexp_full_match(v, '\d{3}[ -]\d{2}[ -]\d{4}') THEN v[:3] NOT IN ('000', '666') AND v[1] <> '9'
    AND v[5:6] <> '00' AND v[8:] <> '0000' END AS us_ssn,
    CASE WHEN regexp_full_match(v, '\d{9}') THEN v[:3] NOT IN ('000', '666') AND v[1] <> '9' AND v[4:5] <> '00'
    AND v[6:] <> '0000' END AS us_ssn_digits,
    CASE WHEN regexp_full_match(c, '[1-9]\d{10}') THEN len(list_distinct(n[:10])) BETWEEN 8 AND 9 AND (11 - list_reduce(
        n[:10], lambda rest, x: CASE WHEN (rest + x) % 10 = 0 THEN 20 ELSE ((rest + x) % 10) * 2 END % 11, 10
    )) % 10 = n[11] END AS de_tax,
    CASE WHEN length(c) = 10 THEN (11 - (n[1] * 10 + n[2] * 9 + n[3] * 8 + n[4] * 7 + n[5] * 6 + n[6] * 5 + n[7] * 4 + n[8] * 3
        + n[9] * 2) % 11) % 11 = n[10] END AS uk_nhs,
    CASE WHEN length(c) = 9 THEN (n[1] * 9 + n[2] * 8 + n[3] * 7 + n[4] * 6 + n[5] * 5 + n[6] * 4 + n[7] * 3 + n[8] * 2 - n[9]) % 11
    = 0 AND TRY_CAST(c AS BIGINT) > 0 END AS nl_bsn,
    CASE WHEN regexp_full_match(c, '\d{2}([02468][1-9]|[13579][0-2])(0[1-9]|[12]\d|3[01])\d{5}') THEN (n[1] + n[2] * 3 + n[3] * 7
        + n[4] * 9 + n[5] + n[6] * 3 + n[7] * 7 + n[8] * 9 + n[9] + n[10] * 3 + n[11]) % 10 = 0 END AS pl_pesel,
    CASE WHEN regexp_full_match(c, '756\d{10}') THEN (n[1] + n[2] * 3 + n[3] + n[4] * 3 + n[5] + n[6] * 3 + n[7] + n[8] * 3 + n[9]
        + n[10] * 3 + n[11] + n[12] * 3 + n[13]) % 10 = 0 END AS ch_ahv,
    CASE WHEN regexp_full_match(c, '[1-9]\d{3}(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-5])\d{2}') THEN (n[1] * 3 + n[2] * 7 + n[3] * 9
        + n[5] * 5 + n[6] * 8 + n[7] * 4 + n[8] * 2 + n[9] + n[10] * 6) % 11 = n[4] END AS at_svnr,
    CASE WHEN regexp_full_match(c, '[1235689]\d{8}') THEN (11 - (n[1] * 9 + n[2] * 8 + n[3] * 7 + n[4] * 6 + n[5] * 5 + n[6] * 4
        + n[7] * 3 + n[8] * 2) % 11) % 11 % 10 = n[9] END AS pt_nif,
    CASE WHEN regexp_full_match(c, '[1-9]\d{10}') THEN ((n[1] + n[3] + n[5] + n[7] + n[9]) * 7 - n[2] - n[4] - n[6] - n[8] + 10) % 10 = n[10]
    AND list_sum(n[:10]) % 10 = n[11] END AS tr_kimlik,
    length(c) = 11 AND 97 - TRY_CAST(c[:9] AS BIGINT) % 97 = TRY_CAST(c[10:] AS BIGINT)
    OR length(c) = 11 AND 97 - TRY_CAST('2' || c[:9] AS BIGINT) % 97 = TRY_CAST(c[10:] AS BIGINT) AS be_national,
    CASE WHEN regexp_full_match(v, '((19|20)?\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]|[6-8]\d|9[01])[-+]?\d{4}') THEN list_sum(
        list_transform(n[-10:], lambda x, i: CASE WHEN i % 2 = 0 THEN x WHEN x > 4 THEN 2 * x - 9 ELSE 2 * x END)
    ) % 10 = 0 END AS se_person,
    CASE WHEN regexp_full_match(v, '\d{3}[ -]\d{3}[ -]\d{3}|\d{9}') THEN list_sum(
        list_transform(n, lambda x, i: CASE WHEN i % 2 = 1 THEN x WHEN x > 4 THEN 2 * x - 9 ELSE 2 * x END)
    ) % 10 = 0 END AS ca_sin,
    CASE WHEN length(c) = 11 THEN len(list_distinct(n)) > 1 AND (n[1] * 10 + n[2] * 9 + n[3] * 8 + n[4] * 7 + n[5] * 6 + n[6] * 5
        + n[7] * 4 + n[8] * 3 + n[9] * 2) * 10 % 11 % 10 = n[10] AND (n[1] * 11 + n[2] * 10 + n[3] * 9 + n[4] * 8
        + n[5] * 7 + n[6] * 6 + n[7] * 5 + n[8] * 4 + n[9] * 3 + n[10] * 2) * 10 % 11 % 10 = n[11] END AS br_cpf
FROM numbers
