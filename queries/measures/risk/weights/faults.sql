-- Answers: the persons for whom the rows stand by their weights, and the rows whose weight cannot be that of a person
-- who was drawn: missing, no number, not above 0. Below 1 it can be a number, but a row is a person at least.
-- Reads: source, the rows of the table (raw_weight, weight_number).
-- Takes: raw_weight, a weight as it stands; weight_number, the same as a number, NULL where it is none; $most, the
-- persons for whom a row stands at most.
-- Gives: person_total, missing, unreadable, too_low, below_one.
SELECT
    CAST(coalesce(sum(CASE WHEN weight_number <= $most THEN weight_number ELSE 0 END), 0) AS DOUBLE) AS person_total,
    CAST(coalesce(sum(CASE WHEN raw_weight IS NULL THEN 1 ELSE 0 END), 0) AS BIGINT) AS missing,
    CAST(
        coalesce(
            sum(
                CASE
                    WHEN raw_weight IS NULL THEN 0
                    WHEN weight_number IS NULL THEN 1
                    WHEN weight_number > $most THEN 1
                    ELSE 0
                END
            ),
            0
        ) AS BIGINT
    ) AS unreadable,
    CAST(coalesce(sum(CASE WHEN weight_number <= 0 THEN 1 ELSE 0 END), 0) AS BIGINT) AS too_low,
    CAST(coalesce(sum(CASE WHEN weight_number < 1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS below_one
FROM source
