-- Answers: how many groups there are among the rows that take part, how many of them have rows in the release, and how
-- many of these have others that are not in it. A row without a group is a group of its own.
-- Reads: taking_part, the rows that take part, and released, those of them that are released: entity, the group.
-- Takes: taking_part_rows and released_rows, how many rows one of them stands for.
-- Gives: taking_part_groups, released_groups, split_groups.
SELECT
    CAST(coalesce(sum(CASE WHEN entity IS NULL THEN there ELSE 1 END), 0) AS BIGINT) AS taking_part_groups,
    CAST(coalesce(sum(CASE WHEN entity IS NULL THEN here WHEN here > 0 THEN 1 END), 0) AS BIGINT) AS released_groups,
    count(CASE WHEN entity IS NOT NULL AND here > 0 AND here <> there THEN 1 END) AS split_groups
FROM (
    SELECT entity, sum(there) AS there, sum(here) AS here
    FROM (
        SELECT entity, taking_part_rows AS there, 0 AS here
        FROM taking_part
        UNION ALL
        SELECT entity, 0 AS there, released_rows AS here
        FROM released
    ) AS both_tables
    GROUP BY entity
) AS groups
