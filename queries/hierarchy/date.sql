-- Answers: built-in date: every moment in the calendar periods that hold it. Decades and centuries begin with years
-- that end in 0 and 00; the remainder is taken twice since % keeps the sign of what it divides.
-- Reads: moments, the values as moments (value, text, moment).
-- Takes: level_label, of each level the expression or the column of its labels; level_name, of each level the name of
-- its column here.
-- Gives: value, text, place, label_0, level_name.
SELECT
    value,
    text,
    moment AS place,
    text AS label_0,
    level_label AS level_name
FROM (
    SELECT
        value,
        text,
        moment,
        year_text || '-' || month_text || '-' || day_text || 'T' || lpad(CAST(hour(moment) AS VARCHAR), 2, '0') AS hour,
        year_text || '-' || month_text || '-' || day_text AS day,
        year_text || '-' || month_text AS month,
        year_text || '-Q' || CAST(quarter(moment) AS VARCHAR) AS quarter,
        year_text AS year,
        CAST(decade AS VARCHAR) || '-' || CAST(decade + 9 AS VARCHAR) AS decade,
        CAST(century AS VARCHAR) || '-' || CAST(century + 99 AS VARCHAR) AS century
    FROM (
        SELECT
            value,
            text,
            moment,
            CASE WHEN year(moment) < 0 THEN '-' ELSE '' END
            || CASE WHEN abs(year(moment)) < 1000 THEN lpad(CAST(abs(year(moment)) AS VARCHAR), 4, '0')
               ELSE CAST(abs(year(moment)) AS VARCHAR) END AS year_text,
            lpad(CAST(month(moment) AS VARCHAR), 2, '0') AS month_text,
            lpad(CAST(day(moment) AS VARCHAR), 2, '0') AS day_text,
            year(moment) - (year(moment) % 10 + 10) % 10 AS decade,
            year(moment) - (year(moment) % 100 + 100) % 100 AS century
        FROM (
            SELECT value, text, CASE WHEN isfinite(moment) THEN moment END AS moment
            FROM moments
        ) AS finite
    ) AS fields
) AS periods
