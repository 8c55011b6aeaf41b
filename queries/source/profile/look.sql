-- Answers: of every column how long the values of the sample are on average, how many have some marks, and how many may
-- have those of a group: where none may, the group need not be asked for.
-- Reads: profile_sample, the values (position, v, l, c, d, length_of, words_of, has_digit, numeral).
-- Takes: nothing.
-- Gives: position, looked_at, mean_length, mean_words; how many fit each group; how many have each mark.
SELECT
    position,
    count(*) AS looked_at,
    avg(length_of) AS mean_length,
    avg(words_of) AS mean_words,

    -- Groups.
    count(*) FILTER (WHERE numeral) AS numerals,
    count(*) FILTER (WHERE contains(v, '@')) AS mails,
    count(*) FILTER (WHERE has_digit) AS codes,
    count(*) FILTER (WHERE length(d) BETWEEN 6 AND 20 AND length_of <= 40) AS telephones,
    count(*) FILTER (WHERE has_digit AND regexp_matches(l, '[a-z]')) AS addresses,
    count(*) FILTER (WHERE regexp_full_match(c, '\d{8,19}')) AS digits,
    count(*) FILTER (WHERE has_digit AND regexp_full_match(c, '[A-Z0-9]{8,34}') AND (regexp_matches(c, '[A-Z]') OR length(c) = 15)) AS letters_and_digits,
    count(*) FILTER (WHERE NOT has_digit) AS words,

    -- Marks.
    count(*) FILTER (WHERE CASE WHEN has_digit THEN regexp_full_match(l, '(\d{1,2}|\d{4})[./ -]{1,2}(\d{1,2}|[a-z]{3,10}\.?)[./, -]{1,2}(\d{1,2}|\d{4})([ t,].*)?')
    OR regexp_full_match(l, '[a-z]{3,10}\.? \d{1,2},? \d{4}( .*)?')
    OR regexp_full_match(v, '(18|19|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])') END) AS dated,
    count(*) FILTER (WHERE l IN ('true', 'false', 'yes', 'no', 'y', 'n', 't', 'f', '0', '1', 'ja', 'nein', 'j', 'oui', 'non', 'o', 'si',
        's', 'nee', 'sim', 'nao', 'tak', 'nie', 'evet', 'hayir', 'on', 'off', 'wahr', 'falsch', 'vrai', 'faux')) AS truth,
    count(*) FILTER (WHERE CASE WHEN contains(v, '.') THEN regexp_full_match(l, '(https?|ftp)://\S+|www\.\S+\.\S+') END) AS url,
    count(*) FILTER (WHERE CASE WHEN contains(v, ':') THEN regexp_full_match(l, '([0-9a-f]{1,4}:){7}[0-9a-f]{1,4}')
    OR regexp_full_match(l, '([0-9a-f]{1,4}(:[0-9a-f]{1,4}){0,6})?::([0-9a-f]{1,4}(:[0-9a-f]{1,4}){0,6})?')
    AND length(v) > 2 END) AS ip_6,
    count(*) FILTER (WHERE CASE WHEN has_digit AND words_of > 3 THEN regexp_matches(v, '(\+\d{1,3}|\b0\d|\(\d{3}\))[\d ()/.-]{6,}\d|\b\d{3}[-.]\d{3}[-.]\d{4}\b') AND words_of > 3 END) AS holds_telephone,
    count(*) FILTER (WHERE CASE WHEN words_of > 3 THEN regexp_matches(v, '\b(Mr|Mrs|Ms|Dr|Herrn?|Frau|Mme|Monsieur|Madame|Senora?|Sig|Sra?|Pani?|Dhr|Mevr)\.? [A-Z][A-Za-z]+')
    AND words_of > 3 END) AS holds_name
FROM kanon.profile_sample
GROUP BY position
