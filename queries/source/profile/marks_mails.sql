-- Answers: of values with an @: whether they are e-mail addresses or names of accounts, or hold an address.
-- Reads: profile_sample, the values (position, v, words_of).
-- Takes: nothing.
-- Gives: position, and a truth value for each mark, false or NULL where it is absent.
SELECT
    position,
    regexp_full_match(v, '(mailto:)?[^\s@,;:<>()"]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,24}') AS email,
    regexp_full_match(v, '@\w{2,30}') AS handle,
    regexp_matches(v, '[^\s@]+@[^\s@]+\.[A-Za-z]{2,}') AND words_of > 1 AS holds_email
FROM kanon.profile_sample
WHERE contains(v, '@')
