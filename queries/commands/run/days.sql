-- Answers: of each column, whether it holds days in one of the ways in which tables write them: as the engine reads
--     moments, with the day or the month first, as eight digits, or, where its name speaks of time, as seconds or
--     milliseconds since 1970.
-- Reads: table_rows, a table (cell_value).
-- Takes: cell_value, of each column its value as text; $formats, as strptime has them; cell_speaks, of each column
--     whether its name speaks of time.
-- Gives: days, a list of true or false; a value in twenty may be none.
SELECT [LIST_OF(count(cell_value) > 0 AND 20 * count(CASE
    -- All begin with a digit or a blank, and have five characters: what most texts fail takes a fiftieth of the time.
    WHEN cell_value >= ':' OR strlen(cell_value) < 5 THEN NULL
    WHEN regexp_full_match(cell_value, '[0-9]{8}') THEN
        CASE WHEN year(try_strptime(cell_value, '%Y%m%d')) BETWEEN 1900 AND 2100 THEN 1 END
    WHEN regexp_full_match(cell_value, '[0-9]+') THEN
        -- 1990 to 2050
        CASE WHEN cell_speaks AND (
            TRY_CAST(cell_value AS BIGINT) BETWEEN 631152000 AND 2524608000
            OR TRY_CAST(cell_value AS BIGINT) BETWEEN 631152000000 AND 2524608000000
        ) THEN 1 END
    -- Eighteen formats take 4 microseconds a value, this a tenth of one.
    WHEN NOT regexp_matches(cell_value, '[0-9][-./\\ ][0-9]{1,2}[-./\\ ][0-9]') THEN NULL
    WHEN coalesce(TRY_CAST(cell_value AS TIMESTAMP), try_strptime(cell_value, $formats)) IS NOT NULL THEN 1
END) >= 19 * count(cell_value))] AS days
FROM table_rows
