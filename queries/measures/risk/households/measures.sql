-- Answers: the risks of households. Each row has the risk of the row of its household that is most exposed; and beside
-- it the risk that at least one row of its household is found, if rows are found independently of each other.
-- Reads: risk_households (household_count, row_count, size, persons, none_found, none_named).
-- Takes: $by_persons, whether a row's risk is 1 by the persons of the population, or 1 by the rows of its class;
-- $threshold, the risk that is looked at.
-- Gives: total_households, total_rows, largest, highest, average, households_above, rows_above, unique_households,
-- unique_rows, any_highest, any_average, any_households_above, any_rows_above.
SELECT
    CAST(sum(household_count) AS BIGINT) AS total_households,
    CAST(sum(household_count * row_count) AS BIGINT) AS total_rows,
    max(row_count) AS largest,
    max(risk) AS highest,
    sum(household_count * row_count * risk) / sum(household_count * row_count) AS average,
    CAST(sum(CASE WHEN risk > $threshold THEN household_count ELSE 0 END) AS BIGINT) AS households_above,
    CAST(sum(CASE WHEN risk > $threshold THEN household_count * row_count ELSE 0 END) AS BIGINT) AS rows_above,
    CAST(sum(CASE WHEN risk = 1 THEN household_count ELSE 0 END) AS BIGINT) AS unique_households,
    CAST(sum(CASE WHEN risk = 1 THEN household_count * row_count ELSE 0 END) AS BIGINT) AS unique_rows,
    max(any_found) AS any_highest,
    sum(household_count * row_count * any_found) / sum(household_count * row_count) AS any_average,
    CAST(sum(CASE WHEN any_found > $threshold THEN household_count ELSE 0 END) AS BIGINT) AS any_households_above,
    CAST(sum(CASE WHEN any_found > $threshold THEN household_count * row_count ELSE 0 END) AS BIGINT) AS any_rows_above
FROM (
    SELECT
        household_count,
        row_count,
        risk,
        -- Of a household of one row the two are the same figure, to the last digit.
        CASE
            WHEN row_count = 1 THEN risk
            ELSE 1 - CASE WHEN $by_persons THEN none_named ELSE none_found END
        END AS any_found
    FROM (
        SELECT
            risk_households.*,
            CAST(1 AS DOUBLE) / CASE WHEN $by_persons THEN persons ELSE size END AS risk
        FROM kanon.risk_households
    ) AS rated
) AS measured
