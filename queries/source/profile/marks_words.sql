-- Answers: of values without digits how they are written, and of all in which word lists they stand. Word lists hold
-- words in lower case without accents.
-- Reads: profile_sample, the values (position, v, l, length_of, has_digit); profile_words, each word
-- with its lists (word, lists).
-- Takes: nothing.
-- Gives: position, and a truth value for each mark, false or NULL where it is absent.
WITH parted AS MATERIALIZED (
    SELECT
        *,
        CASE WHEN length_of <= 80 THEN string_split(trim(regexp_replace(
            regexp_replace(
                l,
                '^((dr|prof|mr|mrs|ms|miss|sir|herr|frau|mme|mlle|m|sr|sra|srta|sig|sig\.ra|dott|ing|mag|univ|dhr|mevr|pan|pani|bay|bayan|sayin)\.? )+',
                ''
            ), '[^A-Za-z''-]+', ' ', 'g'
        )), ' ') END AS tokens
    FROM kanon.profile_sample
)

SELECT
    position,
    CASE WHEN NOT has_digit AND length_of <= 80 THEN regexp_full_match(v, '[A-Za-z][A-Za-z''.-]*( [A-Za-z][A-Za-z''.-]*){1,5}') END AS several_words,
    CASE WHEN NOT has_digit AND length_of <= 80 THEN regexp_full_match(v, '[A-Z][A-Za-z''.-]*( ([A-Z][A-Za-z''.-]*|v[ao]n|de[rnl]?|du|d[aio]s?|la|le|zu|te[rn]|y|e|bin|al|el|of|and))*') END AS capitalized,
    CASE WHEN NOT has_digit AND length_of <= 80 AND contains(v, ',') THEN regexp_full_match(v, '[A-Za-z][A-Za-z'' -]*, ?[A-Za-z][A-Za-z''. -]*') END AS comma_between,
    CASE WHEN NOT has_digit AND length_of <= 80 THEN regexp_full_match(v, '[A-Za-z][A-Za-z''-]*') END AS one_word,
    list_contains(first.lists, 'first name') AS first_is_first_name,
    list_contains(last.lists, 'first name') AS last_is_first_name,
    list_contains(second.lists, 'first name') AS second_is_first_name,
    list_contains(first.lists, 'surname') AS first_is_surname,
    list_contains(last.lists, 'surname') AS last_is_surname,
    list_contains(first.lists, 'no name') OR list_contains(last.lists, 'no name') AS no_name,
    list_contains(whole.lists, 'sex') AS sex_word,
    list_contains(whole.lists, 'country') AS country_name,
    v = upper(v) AND list_contains(whole.lists, 'country code 2') AS country_two,
    v = upper(v) AND list_contains(whole.lists, 'country code 3') AS country_three,
    list_contains(whole.lists, 'city') AS city
FROM parted
LEFT JOIN kanon.profile_words AS whole ON whole.word = parted.l
LEFT JOIN kanon.profile_words AS first ON first.word = parted.tokens[1]
LEFT JOIN kanon.profile_words AS second ON second.word = parted.tokens[2]
LEFT JOIN kanon.profile_words AS last ON last.word = parted.tokens[-1]
