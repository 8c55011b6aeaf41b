-- Answers: what each column of a table of SQLite holds, whatever type it is said to have.
-- Reads: sqlite_table, the table.
-- Takes: held_value, held_key: the columns, and names for what they hold.
-- Gives: one row, held_key: the sum of 1 (integers), 2 (fractions), 4 (texts), 8 (bytes), 16 (integers that a fraction
--   does not hold), 32 (texts that are no date), 64 (texts that are no timestamp).
SELECT
    max(CASE WHEN typeof(held_value) = 'integer' THEN 1 ELSE 0 END)
    + max(CASE WHEN typeof(held_value) = 'real' THEN 2 ELSE 0 END)
    + max(CASE WHEN typeof(held_value) = 'text' THEN 4 ELSE 0 END)
    + max(CASE WHEN typeof(held_value) = 'blob' THEN 8 ELSE 0 END)
    + max(
        CASE
            WHEN typeof(held_value) <> 'integer' THEN 0
            WHEN held_value > 9007199254740992 OR held_value < -9007199254740992 THEN 16
            ELSE 0
        END
    )
    + max(
        CASE
            WHEN typeof(held_value) <> 'text' THEN 0
            WHEN held_value GLOB '0000*' THEN 32
            WHEN held_value GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]' THEN 0
            ELSE 32
        END
    )
    + max(
        CASE
            WHEN typeof(held_value) <> 'text' THEN 0
            -- The engine has no year 0, and takes 24 o'clock for the next day.
            WHEN held_value GLOB '0000*' OR substr(held_value, 12, 2) = '24' THEN 64
            WHEN held_value GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9]' THEN 0
            WHEN held_value GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]' THEN 0
            ELSE 64
        END
    ) AS held_key
FROM sqlite_table
