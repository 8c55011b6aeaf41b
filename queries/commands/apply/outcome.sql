-- Answers: how many rows are released, wait in classes that are released, and are suppressed with their classes, which
-- violate by themselves or only by what has changed since an earlier release; and how many classes each of the last
-- are.
-- Reads: counts, how often each row text is in each release (class, row_count, cell, release); quotas, how many rows of
-- each row text are released (quota, cell); open_classes, the classes that are not decided (class); failed_alone, the
-- classes that violate by themselves (class).
-- Takes: nothing.
-- Gives: released, waiting, violating, changed, violating_classes, changed_classes.
SELECT
    CAST(coalesce(sum(quota), 0) AS BIGINT) AS released,
    CAST(coalesce(sum(CASE WHEN is_open = 0 THEN row_count - quota END), 0) AS BIGINT) AS waiting,
    CAST(coalesce(sum(CASE WHEN is_open = 1 AND is_alone = 1 THEN row_count END), 0) AS BIGINT) AS violating,
    CAST(coalesce(sum(CASE WHEN is_open = 1 AND is_alone = 0 THEN row_count END), 0) AS BIGINT) AS changed,
    count(DISTINCT CASE WHEN is_open = 1 AND is_alone = 1 THEN class END) AS violating_classes,
    count(DISTINCT CASE WHEN is_open = 1 AND is_alone = 0 THEN class END) AS changed_classes
FROM (
    SELECT
        counts.class,
        counts.row_count,
        coalesce(quotas.quota, 0) AS quota,
        CASE WHEN open_classes.class IS NULL THEN 0 ELSE 1 END AS is_open,
        CASE WHEN failed_alone.class IS NULL THEN 0 ELSE 1 END AS is_alone
    FROM counts
    LEFT JOIN quotas ON quotas.cell = counts.cell
    LEFT JOIN open_classes ON open_classes.class = counts.class
    LEFT JOIN failed_alone ON failed_alone.class = counts.class
    WHERE counts.release = 0
) AS outcome
