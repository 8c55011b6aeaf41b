-- Answers: the kinds of values in each column of JSON files, as a sum of powers of two: 1 texts, 2 booleans, 4 lists
-- and objects, 8 numbers with decimals, 16 numbers that no type holds, 32 whole numbers that a double holds (up to
-- 2^53), 64 those of 64 bits, 128 those of 128 bits; 0 where there is nothing but null.
-- Reads: records, the records of the files with their values as JSON (key_value).
-- Takes: key_name, of each column its place.
-- Gives: key_name.
SELECT
    bit_or(CASE
        WHEN key_value IS NULL THEN 0
        WHEN left(key_value, 1) = '"' THEN 1
        WHEN left(key_value, 1) IN ('t', 'f') THEN 2
        WHEN left(key_value, 1) IN ('[', '{') THEN 4
        WHEN NOT regexp_matches(key_value, '^-?[0-9]+$') THEN
            CASE
                WHEN isfinite(TRY_CAST(key_value AS DOUBLE)) THEN 8
                WHEN key_value IN ('NaN', 'Infinity', '-Infinity') THEN 8
                ELSE 16
            END
        WHEN length(key_value) < 16 THEN 32
        WHEN TRY_CAST(key_value AS BIGINT) BETWEEN -9007199254740992 AND 9007199254740992 THEN 32
        WHEN TRY_CAST(key_value AS BIGINT) IS NOT NULL THEN 64
        WHEN TRY_CAST(key_value AS HUGEINT) IS NOT NULL THEN 128
        ELSE 16
    END) AS key_name
FROM records
