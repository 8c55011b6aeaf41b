-- Answers: of values of letters and digits: for which numbers of persons and accounts the check digits hold.
-- Reads: profile_sample, the values (position, c, d).
-- Takes: nothing.
-- Gives: position, and a truth value for each mark, false or NULL where it is absent.
WITH numbers AS MATERIALIZED (
    SELECT
        position,
        c,
        CASE WHEN length(c) <= 16 THEN list_transform(string_split(d, ''), lambda x: ord(x) - 48) END AS m,
        -- The first four come last, and a letter is a number from 10 on.
        CASE WHEN regexp_full_match(c, '[A-Z]{2}\d{2}[A-Z0-9]{11,30}') THEN
            list_transform(
                string_split(c[5:] || c[:4], ''), lambda x: CASE WHEN ord(x) < 65 THEN ord(x) - 48 ELSE ord(x) - 55 END
            )
        END AS account
    FROM kanon.profile_sample
    WHERE regexp_full_match(c, '[A-Z0-9]{8,34}')
)

SELECT
    position,
    list_reduce(
        account, lambda rest, x: CASE WHEN x < 10 THEN (rest * 10 + x) % 97 ELSE (rest * 100 + x) % 97 END
    ) = 1 AS iban,
    CASE WHEN regexp_full_match(c, '\d{2}([0-2]\d|3[01]|[5-7]\d|8[01])(0\d|1[0-2])\d{2}[A-Z]\d{3}') THEN list_sum(list_transform(
        [m[1] * 2, m[2], m[3] * 2, m[4] * 5, m[5] * 7, m[6], m[7] * 2, m[8], (ord(c[9]) - 64) // 10 * 2,
            (ord(c[9]) - 64) % 10, m[9] * 2, m[10]], lambda x: x // 10 + x % 10
    )) % 10 = m[11] END AS de_pension,
    CASE WHEN regexp_full_match(c, '[A-Z]\d{9}') THEN list_sum(list_transform(
        [(ord(c[1]) - 64) // 10, (ord(c[1]) - 64) % 10 * 2, m[1], m[2] * 2, m[3], m[4] * 2, m[5], m[6] * 2, m[7],
            m[8] * 2], lambda x: x // 10 + x % 10
    )) % 10 = m[9] END AS de_health,
    CASE WHEN regexp_full_match(c, '[12378]\d{2}(0[1-9]|1[0-2]|[2-9]\d)(\d{2}|2[AB])\d{8}') THEN 97 - TRY_CAST(replace(replace(c[:13], '2A', '19'), '2B', '18') AS BIGINT) % 97 = TRY_CAST(c[14:] AS BIGINT) END AS fr_nir,
    CASE WHEN regexp_full_match(c, '[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]') THEN c[:2] NOT IN ('BG', 'GB', 'NK', 'KN', 'TN', 'NT', 'ZZ') END AS uk_nino,
    CASE WHEN regexp_full_match(c, '([XYZ]\d{7}|\d{8})[A-HJ-NP-TV-Z]') THEN 'TRWAGMYFPDXBNJZSQVHLCKE'[
        TRY_CAST(replace(replace(replace(c[:8], 'X', '0'), 'Y', '1'), 'Z', '2') AS BIGINT) % 23 + 1
    ] = c[9] END AS es_dni,
    CASE WHEN regexp_full_match(c, '[A-Z]{6}[0-9L-NP-V]{2}[A-EHLMPRST][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z]') THEN list_sum(
        list_transform(
            string_split(c[:15], ''),
            lambda x, i: CASE
                WHEN i % 2 = 0 THEN strpos('ABCDEFGHIJKLMNOPQRSTUVWXYZ', translate(x, '0123456789', 'ABCDEFGHIJ')) - 1
                ELSE strpos(
                    'BAKPLCQDREVOSFTGUHMINJWZYX', translate(x, '0123456789', 'ABCDEFGHIJ')
                ) - 1
            END
        )
    ) % 26 = ord(c[16]) - 65 END AS it_fiscal,
    regexp_full_match(c, '[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d[AC-HJKMNP-RT-Y]{2}\d{2}') AS us_medicare
FROM numbers
