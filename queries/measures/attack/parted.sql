-- Answers: the rows of the source, parted at random into those that a release is made of and those that are held out:
-- by a hash of what they hold and a number for rows that hold the same, or of the persons whom they are about.
-- Reads: source, the rows of the source (own_key).
-- Takes: own_key and own_name, of each column its key and its name; row_key, a hash that parts rows; $by_rows, whether
-- rows that hold the same are parted; $out_of and $share, how many of so many parts are held out; $seed, what parts
-- them.
-- Gives: the table attack_parted (own_name, is_held_out).
CREATE OR REPLACE TEMP TABLE kanon.attack_parted AS
SELECT own_name, hash(CAST([CAST($seed AS UBIGINT), row_hash, copy_number] AS VARCHAR)) % $out_of < $share AS is_held_out
FROM (
    SELECT
        own_key AS own_name,
        row_key AS row_hash,
        CASE WHEN $by_rows THEN row_number() OVER (PARTITION BY row_key ORDER BY row_key) ELSE 0 END AS copy_number
    FROM source
) AS numbered
