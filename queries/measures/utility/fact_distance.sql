-- Answers: how many sets of facts persons have in the source and in its release, and how far their frequencies are
-- apart: total variation is half the sum of the differences of their shares, added up in whole numbers.
-- Reads: fact_shares, the persons who have each set (source_persons, released_persons).
-- Takes: nothing.
-- Gives: one row (in_source, in_release, total_variation), the distance NULL where a side has none.
SELECT
    CAST(coalesce(sum(source_persons), 0) AS BIGINT) AS in_source,
    CAST(coalesce(sum(released_persons), 0) AS BIGINT) AS in_release,
    sum(abs(source_persons * in_release_at_all - released_persons * in_source_at_all))
    / any_value(nullif(in_source_at_all, 0)) / any_value(nullif(in_release_at_all, 0)) / 2 AS total_variation
FROM (
    SELECT
        source_persons,
        released_persons,
        sum(source_persons) OVER () AS in_source_at_all,
        sum(released_persons) OVER () AS in_release_at_all
    FROM fact_shares
) AS shares
