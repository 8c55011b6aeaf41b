-- Answers: of every value which shapes it has, which check digits hold, and in which word lists it stands. Word lists
-- hold words in lower case without accents.
-- Reads: profile_sample, the values (position, value, row_count); profile_words, the words of all lists (list, word).
-- Takes: nothing.
-- Gives: position, row_count, length_of, words_of, and one truth value for each mark, false or NULL where it is absent.
WITH spelled AS (
    SELECT
        position,
        row_count,
        regexp_replace(
            translate(strip_accents(value), '’‘–—  ŁłØøÆæŒœßĐđıþð', '''''--  LlOoAaOosDdihd'), '[^\x00-\x7F]', 'x', 'g'
        ) AS v
    FROM profile_sample
),

texts AS (
    SELECT
        *,
        lower(v) AS l,
        length(v) AS length_of,
        len(string_split_regex(v, '\s+')) AS words_of,
        CASE WHEN length(v) <= 60 THEN regexp_replace(upper(v), '[\s./-]', '', 'g') END AS c,
        regexp_matches(v, '\d') AS has_digit,
        regexp_full_match(v, '[-+0-9.,'' eE]+') AS numeral,
        CASE WHEN length(v) <= 40 THEN regexp_replace(v, '[^0-9]', '', 'g') END AS d
    FROM spelled
),

numbers AS MATERIALIZED (
    SELECT
        *,
        -- Digits that only blanks and . / - part, and digits beside letters; account numbers with the first four last.
        CASE WHEN regexp_full_match(c, '\d{8,19}') THEN list_transform(string_split(c, ''), lambda x: ord(x) - 48) END AS n,
        CASE WHEN regexp_full_match(c, '[A-Z0-9]{8,16}') THEN
            list_transform(string_split(d, ''), lambda x: ord(x) - 48)
        END AS m,
        CASE WHEN regexp_full_match(c, '[A-Z]{2}\d{2}[A-Z0-9]{11,30}') THEN
            list_transform(
                string_split(c[5:] || c[:4], ''), lambda x: CASE WHEN ord(x) < 65 THEN ord(x) - 48 ELSE ord(x) - 55 END
            )
        END AS account,
        CASE WHEN length_of <= 80 THEN string_split(trim(regexp_replace(
            regexp_replace(
                l,
                '^((dr|prof|mr|mrs|ms|miss|sir|herr|frau|mme|mlle|m|sr|sra|srta|sig|sig\.ra|dott|ing|mag|univ|dhr|mevr|pan|pani|bay|bayan|sayin)\.? )+',
                ''
            ), '[^A-Za-z''-]+', ' ', 'g'
        )), ' ') END AS tokens
    FROM texts
)

SELECT
    position,
    row_count,
    length_of,
    words_of,

    -- Kinds.
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?(0|[1-9]\d*)') END AS whole,
    CASE WHEN numeral THEN regexp_full_match(v, '0\d+') END AS padded,
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?\d+\.0+') END AS whole_with_zeros,
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?(\d{1,3}([., '']\d{3})+|\d+)') END AS whole_grouped,
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?') END AS number_point,
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?\d+(,\d+)?') END AS number_comma,
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?') END AS number_point_comma,
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?') END AS number_comma_point,
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?(\d{1,3}( \d{3})+|\d+)(\.\d+)?') END AS number_point_blank,
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?(\d{1,3}( \d{3})+|\d+)(,\d+)?') END AS number_comma_blank,
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?(\d{1,3}(''\d{3})+|\d+)(\.\d+)?') END AS number_point_apostrophe,
    CASE WHEN has_digit THEN regexp_full_match(l, '(\d{1,2}|\d{4})[./ -]{1,2}(\d{1,2}|[a-z]{3,10}\.?)[./, -]{1,2}(\d{1,2}|\d{4})([ t,].*)?')
    OR regexp_full_match(l, '[a-z]{3,10}\.? \d{1,2},? \d{4}( .*)?')
    OR regexp_full_match(v, '(18|19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])') END AS dated,
    l IN ('true', 'false', 'yes', 'no', 'y', 'n', 't', 'f', '0', '1', 'ja', 'nein', 'j', 'oui', 'non', 'o', 'si',
        's', 'nee', 'sim', 'nao', 'tak', 'nie', 'evet', 'hayir', 'on', 'off', 'wahr', 'falsch', 'vrai', 'faux') AS truth,
    CASE WHEN has_digit AND words_of = 1 THEN regexp_full_match(v, '[A-Za-z0-9]+([./_:#+-][A-Za-z0-9]+)*[!*+]?') AND regexp_matches(v, '\d') END AS coded,
    CASE WHEN has_digit THEN regexp_full_match(v, '[0-9a-fA-F]{16,128}') AND regexp_matches(l, '[a-f]') END AS hexadecimal,
    CASE WHEN numeral THEN regexp_full_match(v, '\d+') END AS digits_only,
    CASE WHEN numeral THEN regexp_full_match(v, '(19|20)\d{2}') END AS year_alone,
    CASE WHEN numeral THEN TRY_CAST(v AS DOUBLE) BETWEEN 0 AND 120 END AS of_age,
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?\d{1,2}\.\d{3,}') AND abs(TRY_CAST(v AS DOUBLE)) <= 90 END AS latitude,
    CASE WHEN numeral THEN regexp_full_match(v, '[+-]?\d{1,3}\.\d{3,}') AND abs(TRY_CAST(v AS DOUBLE)) <= 180 END AS longitude,

    -- Shapes.
    CASE WHEN contains(v, '@') THEN regexp_full_match(v, '(mailto:)?[^\s@,;:<>()"]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}') END AS email,
    CASE WHEN length(d) BETWEEN 6 AND 20 AND length_of <= 40 THEN regexp_full_match(v, '(\+|00) ?[1-9][0-9 ()/.-]{6,20}( ?(x|ext\.?) ?\d{1,5})?')
    AND length(d) BETWEEN 8 AND 17 END AS telephone_abroad,
    CASE WHEN length(d) BETWEEN 6 AND 20 AND length_of <= 40 THEN regexp_full_match(v, '((\+?1|001)[-. ]?)?(\([2-9]\d{2}\) ?|[2-9]\d{2}[-. /])\d{3}[-. ]\d{4}( ?(x|ext\.?) ?\d{1,5})?') END AS telephone_us,
    CASE WHEN length(d) BETWEEN 6 AND 20 AND length_of <= 40 THEN regexp_full_match(v, '\(?0[1-9]\d{0,4}\)?( ?[-/. ] ?|\))\d{2,8}([- /]?\d{1,8}){0,4}') AND length(d) BETWEEN 7 AND 13
    AND NOT regexp_full_match(v, '\d{1,2}[-/. ]\d{1,2}[-/. ]\d{2,4}') END AS telephone_trunk,
    CASE WHEN length(d) BETWEEN 6 AND 20 AND length_of <= 40 THEN regexp_full_match(v, '0[1-9]([ .-]?\d{2}){4}') END AS telephone_fr,
    CASE WHEN length(d) BETWEEN 6 AND 20 AND length_of <= 40 THEN regexp_full_match(v, '\(?0[1-9]\d{1,4}\)? ?\d{3,4} ?\d{3,6}') AND length(d) BETWEEN 10 AND 11 END AS telephone_uk,
    CASE WHEN length(d) BETWEEN 6 AND 20 AND length_of <= 40 THEN regexp_full_match(v, '[6789]\d{2}([ .-]\d{3}){2}|[6789]\d{2}([ .-]\d{2}){3}') END AS telephone_es,
    CASE WHEN length(d) BETWEEN 6 AND 20 AND length_of <= 40 THEN regexp_full_match(v, '[+(]?[0-9][0-9 ()/.x+-]{5,24}') AND length(d) BETWEEN 6 AND 17 END AS telephone_digits,
    CASE WHEN length(d) BETWEEN 10 AND 13 AND d <> v THEN regexp_full_match(v, '\(?0?\d{2,3}\)? ?\d{4,5}[ -]?\d{4}') END AS telephone_br,
    telephone_abroad OR telephone_us OR telephone_br OR telephone_trunk OR telephone_fr OR telephone_uk OR telephone_es AS telephone,
    CASE WHEN has_digit AND contains(v, '.') THEN regexp_full_match(v, '(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}(:\d{1,5}|/\d{1,2})?') END AS ip_4,
    CASE WHEN contains(v, ':') THEN regexp_full_match(l, '([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}')
    OR regexp_full_match(l, '([0-9a-f]{1,4}(:[0-9a-f]{1,4}){0,6})?::([0-9a-f]{1,4}(:[0-9a-f]{1,4}){0,6})?')
    AND length(v) > 2 END AS ip_6,
    CASE WHEN contains(v, '.') THEN regexp_full_match(l, '(https?|ftp)://\S+|www\.\S+\.\S+') END AS url,
    CASE WHEN has_digit THEN regexp_full_match(l, '\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?') END AS uuid,
    CASE WHEN has_digit THEN regexp_full_match(l, '([0-9a-f]{2}[:-]){5}[0-9a-f]{2}') END AS hardware,
    CASE WHEN contains(v, '@') THEN regexp_full_match(v, '@\w{2,30}') END AS handle,
    CASE WHEN has_digit AND length_of <= 10 THEN regexp_full_match(v, '[A-TV-Z]\d[0-9AB](\.?[0-9A-Z]{1,4}|\.-)?[*+!]?( ?[GVAZ])?') END AS icd,
    CASE WHEN has_digit AND length_of <= 10 THEN regexp_full_match(v, '[A-TV-Z]\d[0-9AB]\.([0-9A-Z]{1,4}|-)[*+!]?( ?[GVAZ])?') END AS icd_dotted,
    CASE WHEN has_digit THEN regexp_full_match(v, '\(?[+-]?\d{1,2}\.\d{2,}[,; ]+[+-]?\d{1,3}\.\d{2,}\)?')
    OR regexp_full_match(v, '(?i)point ?\(.*\)')
    OR regexp_matches(v, '^[NSEW]? ?\d{1,3} ?(°|x).*[NSEWO]?$') END AS coordinate_pair,
    CASE WHEN has_digit AND length_of <= 10 THEN regexp_full_match(c, '(GIR0AA|[A-Z]{1,2}\d[A-Z\d]?\d[A-Z]{2})') AND length(c) BETWEEN 5 AND 7 END AS postal_uk,
    CASE WHEN has_digit AND length_of <= 10 THEN regexp_full_match(c, '[A-Z]\d[A-Z]\d[A-Z]\d') END AS postal_ca,
    CASE WHEN has_digit AND length_of <= 10 THEN regexp_full_match(v, '[1-9]\d{3} ?[A-Z]{2}') END AS postal_nl,
    CASE WHEN has_digit AND length_of <= 10 THEN regexp_full_match(v, '\d{2}-\d{3}|\d{4}-\d{3}|\d{5}-\d{3,4}|\d{3} \d{2}') END AS postal_parted,
    CASE WHEN has_digit AND length_of <= 10 THEN regexp_full_match(v, '([A-Z]{1,2}-)?\d{5}') END AS postal_five,
    CASE WHEN has_digit AND length_of <= 10 THEN regexp_full_match(v, '([A-Z]{1,2}-)?\d{4}') END AS postal_four,

    -- Check digits.
    CASE WHEN account IS NOT NULL THEN account IS NOT NULL AND list_reduce(
        account, lambda rest, x: CASE WHEN x < 10 THEN (rest * 10 + x) % 97 ELSE (rest * 100 + x) % 97 END
    ) = 1 END AS iban,
    CASE WHEN n IS NOT NULL AND regexp_full_match(c, '4\d{12}(\d{3})?(\d{3})?|[25]\d{15}|3[47]\d{13}|3[068]\d{12}|35\d{14}|(1800|2131)\d{11}|6\d{15,18}|[56]\d{11,18}') THEN list_sum(list_transform(
        list_reverse(n), lambda x, i: CASE WHEN i % 2 = 1 THEN x WHEN x > 4 THEN 2 * x - 9 ELSE 2 * x END
    )) % 10 = 0 END AS credit_card,
    CASE WHEN n IS NOT NULL AND regexp_full_match(v, '\d{3}[ -]\d{2}[ -]\d{4}') THEN v[:3] NOT IN ('000', '666') AND v[1] <> '9'
    AND v[5:6] <> '00' AND v[8:] <> '0000' END AS us_ssn,
    CASE WHEN n IS NOT NULL AND regexp_full_match(v, '\d{9}') THEN v[:3] NOT IN ('000', '666') AND v[1] <> '9' AND v[4:5] <> '00'
    AND v[6:] <> '0000' END AS us_ssn_digits,
    CASE WHEN n IS NOT NULL AND regexp_full_match(c, '[1-9]\d{10}') THEN len(list_distinct(n[:10])) BETWEEN 8 AND 9 AND (11 - list_reduce(
        n[:10], lambda rest, x: CASE WHEN (rest + x) % 10 = 0 THEN 20 ELSE ((rest + x) % 10) * 2 END % 11, 10
    )) % 10 = n[11] END AS de_tax,
    CASE WHEN m IS NOT NULL AND regexp_full_match(c, '\d{2}([0-2]\d|3[01]|[5-7]\d|8[01])(0\d|1[0-2])\d{2}[A-Z]\d{3}') THEN list_sum(list_transform(
        [m[1] * 2, m[2], m[3] * 2, m[4] * 5, m[5] * 7, m[6], m[7] * 2, m[8], (ord(c[9]) - 64) // 10 * 2,
            (ord(c[9]) - 64) % 10, m[9] * 2, m[10]], lambda x: x // 10 + x % 10
    )) % 10 = m[11] END AS de_pension,
    CASE WHEN m IS NOT NULL AND regexp_full_match(c, '[A-Z]\d{9}') THEN list_sum(list_transform(
        [(ord(c[1]) - 64) // 10, (ord(c[1]) - 64) % 10 * 2, m[1], m[2] * 2, m[3], m[4] * 2, m[5], m[6] * 2, m[7],
            m[8] * 2], lambda x: x // 10 + x % 10
    )) % 10 = m[9] END AS de_health,
    CASE WHEN m IS NOT NULL AND regexp_full_match(c, '[12378]\d{2}(0[1-9]|1[0-2]|[2-9]\d)(\d{2}|2[AB])\d{8}') THEN 97 - TRY_CAST(replace(replace(c[:13], '2A', '19'), '2B', '18') AS BIGINT) % 97 = TRY_CAST(c[14:] AS BIGINT) END AS fr_nir,
    CASE WHEN m IS NOT NULL AND regexp_full_match(c, '[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]') THEN c[:2] NOT IN ('BG', 'GB', 'NK', 'KN', 'TN', 'NT', 'ZZ') END AS uk_nino,
    CASE WHEN n IS NOT NULL AND length(c) = 10 THEN (11 - (n[1] * 10 + n[2] * 9 + n[3] * 8 + n[4] * 7 + n[5] * 6 + n[6] * 5 + n[7] * 4 + n[8] * 3
        + n[9] * 2) % 11) % 11 = n[10] END AS uk_nhs,
    CASE WHEN m IS NOT NULL AND regexp_full_match(c, '([XYZ]\d{7}|\d{8})[A-HJ-NP-TV-Z]') THEN 'TRWAGMYFPDXBNJZSQVHLCKE'[
        TRY_CAST(replace(replace(replace(c[:8], 'X', '0'), 'Y', '1'), 'Z', '2') AS BIGINT) % 23 + 1
    ] = c[9] END AS es_dni,
    CASE WHEN m IS NOT NULL AND regexp_full_match(c, '[A-Z]{6}[0-9L-NP-V]{2}[A-EHLMPRST][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z]') THEN list_sum(
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
    CASE WHEN n IS NOT NULL AND length(c) = 9 THEN (n[1] * 9 + n[2] * 8 + n[3] * 7 + n[4] * 6 + n[5] * 5 + n[6] * 4 + n[7] * 3 + n[8] * 2 - n[9]) % 11
    = 0 AND TRY_CAST(c AS BIGINT) > 0 END AS nl_bsn,
    CASE WHEN n IS NOT NULL AND regexp_full_match(c, '\d{2}([02468][1-9]|[13579][0-2])(0[1-9]|[12]\d|3[01])\d{5}') THEN (n[1] + n[2] * 3 + n[3] * 7
        + n[4] * 9 + n[5] + n[6] * 3 + n[7] * 7 + n[8] * 9 + n[9] + n[10] * 3 + n[11]) % 10 = 0 END AS pl_pesel,
    CASE WHEN n IS NOT NULL AND regexp_full_match(c, '756\d{10}') THEN (n[1] + n[2] * 3 + n[3] + n[4] * 3 + n[5] + n[6] * 3 + n[7] + n[8] * 3 + n[9]
        + n[10] * 3 + n[11] + n[12] * 3 + n[13]) % 10 = 0 END AS ch_ahv,
    CASE WHEN n IS NOT NULL AND regexp_full_match(c, '[1-9]\d{3}(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-5])\d{2}') THEN (n[1] * 3 + n[2] * 7 + n[3] * 9
        + n[5] * 5 + n[6] * 8 + n[7] * 4 + n[8] * 2 + n[9] + n[10] * 6) % 11 = n[4] END AS at_svnr,
    CASE WHEN n IS NOT NULL AND regexp_full_match(c, '[1235689]\d{8}') THEN (11 - (n[1] * 9 + n[2] * 8 + n[3] * 7 + n[4] * 6 + n[5] * 5 + n[6] * 4
        + n[7] * 3 + n[8] * 2) % 11) % 11 % 10 = n[9] END AS pt_nif,
    CASE WHEN n IS NOT NULL AND regexp_full_match(c, '[1-9]\d{10}') THEN ((n[1] + n[3] + n[5] + n[7] + n[9]) * 7 - n[2] - n[4] - n[6] - n[8] + 10) % 10 = n[10]
    AND list_sum(n[:10]) % 10 = n[11] END AS tr_kimlik,
    CASE WHEN n IS NOT NULL THEN length(c) = 11 AND 97 - TRY_CAST(c[:9] AS BIGINT) % 97 = TRY_CAST(c[10:] AS BIGINT)
    OR length(c) = 11 AND 97 - TRY_CAST('2' || c[:9] AS BIGINT) % 97 = TRY_CAST(c[10:] AS BIGINT) END AS be_national,
    CASE WHEN n IS NOT NULL OR contains(v, '+') AND regexp_full_match(v, '((19|20)?\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]|[6-8]\d|9[01])[-+]?\d{4}') THEN list_sum(
        list_transform(n[-10:], lambda x, i: CASE WHEN i % 2 = 0 THEN x WHEN x > 4 THEN 2 * x - 9 ELSE 2 * x END)
    ) % 10 = 0 END AS se_person,
    CASE WHEN has_digit AND length_of = 11 THEN regexp_full_match(v, '(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])\d{2}[-+A-FU-Y]\d{3}[0-9A-Y]') AND
    '0123456789ABCDEFHJKLMNPRSTUVWXY'[TRY_CAST(v[:6] || v[8:10] AS BIGINT) % 31 + 1] = v[11] END AS fi_hetu,
    CASE WHEN n IS NOT NULL AND regexp_full_match(v, '\d{3}[ -]\d{3}[ -]\d{3}|\d{9}') THEN list_sum(
        list_transform(n, lambda x, i: CASE WHEN i % 2 = 1 THEN x WHEN x > 4 THEN 2 * x - 9 ELSE 2 * x END)
    ) % 10 = 0 END AS ca_sin,
    CASE WHEN n IS NOT NULL AND length(c) = 11 THEN len(list_distinct(n)) > 1 AND (n[1] * 10 + n[2] * 9 + n[3] * 8 + n[4] * 7 + n[5] * 6 + n[6] * 5
        + n[7] * 4 + n[8] * 3 + n[9] * 2) * 10 % 11 % 10 = n[10] AND (n[1] * 11 + n[2] * 10 + n[3] * 9 + n[4] * 8
        + n[5] * 7 + n[6] * 6 + n[7] * 5 + n[8] * 4 + n[9] * 3 + n[10] * 2) * 10 % 11 % 10 = n[11] END AS br_cpf,
    CASE WHEN m IS NOT NULL THEN regexp_full_match(c, '[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d[AC-HJKMNP-RT-Y]{2}\d{2}') END AS us_medicare,

    -- Texts.
    CASE WHEN NOT has_digit AND length_of <= 80 THEN regexp_full_match(v, '[A-Za-z][A-Za-z''.-]*( [A-Za-z][A-Za-z''.-]*){1,5}') END AS several_words,
    CASE WHEN NOT has_digit AND length_of <= 80 THEN regexp_full_match(v, '[A-Z][A-Za-z''.-]*( ([A-Z][A-Za-z''.-]*|v[ao]n|de[rnl]?|du|d[aio]s?|la|le|zu|te[rn]|y|e|bin|al|el|of|and))*') END AS capitalized,
    CASE WHEN NOT has_digit AND length_of <= 80 AND contains(v, ',') THEN regexp_full_match(v, '[A-Za-z][A-Za-z'' -]*, ?[A-Za-z][A-Za-z''. -]*') END AS comma_between,
    CASE WHEN NOT has_digit AND length_of <= 80 THEN regexp_full_match(v, '[A-Za-z][A-Za-z''-]*') END AS one_word,
    tokens[1] IN (SELECT word FROM profile_words WHERE list = 'first name') AS first_is_first_name,
    tokens[-1] IN (SELECT word FROM profile_words WHERE list = 'first name') AS last_is_first_name,
    tokens[2] IN (SELECT word FROM profile_words WHERE list = 'first name') AS second_is_first_name,
    tokens[1] IN (SELECT word FROM profile_words WHERE list = 'surname') AS first_is_surname,
    tokens[-1] IN (SELECT word FROM profile_words WHERE list = 'surname') AS last_is_surname,
    tokens[1] IN (SELECT word FROM profile_words WHERE list = 'no name')
    OR tokens[-1] IN (SELECT word FROM profile_words WHERE list = 'no name') AS no_name,
    l IN (SELECT word FROM profile_words WHERE list = 'sex') AS sex_word,
    l IN (SELECT word FROM profile_words WHERE list = 'country') AS country_name,
    v IN (SELECT upper(word) FROM profile_words WHERE list = 'country code 2') AS country_two,
    v IN (SELECT upper(word) FROM profile_words WHERE list = 'country code 3') AS country_three,
    l IN (SELECT word FROM profile_words WHERE list = 'city') AS city,
    CASE WHEN has_digit THEN regexp_matches(l, '\d') AND regexp_matches(
        l,
        '(^|[^a-z])(street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|square|sq|terrace|highway|hwy|parkway|pkwy|way|circle|crescent|close|trail|alley|mews|apt|suite|p\.? ?o\.? box|postfach|rue|av|bd|chemin|place|allee|impasse|quai|route|passage|faubourg|calle|c/|avenida|avda|plaza|paseo|camino|carrer|ronda|pasaje|rambla|via|viale|piazza|corso|largo|vicolo|contrada|borgo|strada|piazzale|ulica|ul|aleja|al|aleje|plac|pl|osiedle|os|rondo|rua|travessa|praca|alameda|estrada|beco|rodovia|sokak|sok|sk|cadde|caddesi|cad|mahallesi|mah|bulvari)([^a-z]|$)'
    ) END AS street_word,
    CASE WHEN has_digit THEN regexp_matches(l, '[A-Za-z](strasse|strase|str\.?|weg|platz|allee|gasse|ring|damm|ufer|chaussee|steig|graben|straat|laan|plein|kade|gracht|singel|dijk|steeg|pad|dreef|gatan|gata|vagen|grand|stigen|torget|vej|gade|vei|veien|gate|strade|katu|tie|kuja|polku) \d{1,4}( ?[a-z])?([^\d].*)?$')
    OR regexp_matches(l, '^(am|an der|auf dem|auf der|im|in der|zum|zur|unter den|hinter der) [A-Za-z].* \d{1,4} ?[a-z]?$') END AS street_suffix,
    CASE WHEN has_digit THEN regexp_matches(v, '^\d{1,5}[A-Za-z]?,? [A-Z][A-Za-z''.-]+( [A-Z]?[A-Za-z''.-]+){1,4}') END AS number_first,
    street_word OR street_suffix AS street,
    CASE WHEN contains(v, '@') THEN regexp_matches(v, '[^\s@]+@[^\s@]+\.[A-Za-z]{2,}') AND words_of > 1 END AS holds_email,
    CASE WHEN has_digit AND words_of > 3 THEN regexp_matches(v, '(\+\d{1,3}|\b0\d|\(\d{3}\))[\d ()/.-]{6,}\d|\b\d{3}[-.]\d{3}[-.]\d{4}\b') AND words_of > 3 END AS holds_telephone,
    CASE WHEN words_of > 3 THEN regexp_matches(v, '\b(Mr|Mrs|Ms|Dr|Herrn?|Frau|Mme|Monsieur|Madame|Senora?|Sig|Sra?|Pani?|Dhr|Mevr)\.? [A-Z][A-Za-z]+')
    AND words_of > 3 END AS holds_name
FROM numbers
