-- Audits of releases, by kanon-sql. Each returns one row for each class that violates: counts and measures, no values.
-- What is given as `sensitive` may be an expression, such as NULLIF(diagnosis, '?') for a text that means missing.
-- Written by scripts/definitions.py of the statements that count a table anew (queries/recount and queries/privacy).

-- Each class holds k rows.
AUDIT (name k_anonymous);
WITH kanon_given AS (
  SELECT DENSE_RANK() OVER (ORDER BY @EACH(@quasi_identifiers, c -> c)) AS kanon_class, COUNT(*) AS kanon_row_count
  FROM @this_model
  GROUP BY @EACH(@quasi_identifiers, c -> c)
), kanon_table_rows AS (
  SELECT
    kanon_class AS kanon_v0,
    kanon_row_count
  FROM kanon_given
), kanon_sizes AS (
  SELECT
    kanon_v0,
    CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_size,
    CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_holders
  FROM kanon_table_rows
  GROUP BY
    kanon_v0
)
SELECT
  CAST(kanon_size AS BIGINT) AS class_rows,
  kanon_holders AS reached
FROM kanon_sizes
WHERE
  kanon_holders < @k;

-- l-diversity: 'distinct' values, as many as their 'entropy' is worth, or 'recursive' with c. NULL is no value. A
-- variant that is none of these holds for no class.
AUDIT (name l_diverse, defaults (variant = 'distinct', c = NULL));
WITH kanon_given AS (
  SELECT
    DENSE_RANK() OVER (ORDER BY @EACH(@quasi_identifiers, c -> c)) AS kanon_class,
    @sensitive AS kanon_value,
    COUNT(*) AS kanon_row_count
  FROM @this_model
  GROUP BY @EACH(@quasi_identifiers, c -> c), @sensitive
), kanon_table_rows AS (
  SELECT
    kanon_class AS kanon_v0,
    kanon_value AS kanon_s0,
    kanon_row_count
  FROM kanon_given
), kanon_sizes AS (
  SELECT
    kanon_v0,
    CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_size,
    CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_holders
  FROM kanon_table_rows
  GROUP BY
    kanon_v0
), kanon_counted_0 AS (
  SELECT
    kanon_v0,
    kanon_s0 AS kanon_value,
    CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_row_count
  FROM kanon_table_rows
  GROUP BY
    kanon_v0,
    kanon_s0
), kanon_measured_0 AS (
  SELECT
    kanon_v0,
    COUNT(DISTINCT kanon_value) AS kanon_measure,
    COUNT(DISTINCT kanon_value) < @l AS kanon_violates
  FROM kanon_counted_0
  GROUP BY
    kanon_v0
), kanon_measured_1 AS (
  SELECT
    kanon_v0,
    kanon_measure,
    kanon_measure < @l * (
      1 - CAST(1e-9 AS DOUBLE)
    ) AS kanon_violates
  FROM (
    SELECT
      kanon_v0,
      COALESCE(
        EXP(-SUM(CASE WHEN NOT kanon_value IS NULL THEN kanon_share * LN(kanon_share) END)),
        0
      ) AS kanon_measure
    FROM (
      SELECT
        kanon_v0,
        kanon_value,
        CAST(kanon_row_count AS DOUBLE) / SUM(CASE WHEN NOT kanon_value IS NULL THEN kanon_row_count END) OVER (PARTITION BY kanon_v0) AS kanon_share
      FROM kanon_counted_0
    ) AS kanon_shares_0
    GROUP BY
      kanon_v0
  ) AS kanon_measured
), kanon_measured_2 AS (
  SELECT
    kanon_v0,
    kanon_measure,
    kanon_measure < @l AS kanon_violates
  FROM (
    SELECT
      kanon_v0,
      COUNT(
        CASE
          WHEN NOT kanon_value IS NULL
          AND kanon_most * 1 < @c * kanon_from_here
          THEN 1
        END
      ) AS kanon_measure
    FROM (
      SELECT
        kanon_v0,
        kanon_value,
        MAX(CASE WHEN NOT kanon_value IS NULL THEN kanon_row_count END) OVER (PARTITION BY kanon_v0) AS kanon_most,
        SUM(CASE WHEN NOT kanon_value IS NULL THEN kanon_row_count END) OVER (
          PARTITION BY kanon_v0
          ORDER BY kanon_row_count, kanon_value
          ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS kanon_from_here
      FROM kanon_counted_0
    ) AS kanon_ranked_0
    GROUP BY
      kanon_v0
  ) AS kanon_measured
)
SELECT
  CAST(kanon_sizes.kanon_size AS BIGINT) AS class_rows,
  kanon_measured_0.kanon_measure AS reached
FROM kanon_measured_0
JOIN kanon_sizes
  ON (
    kanon_sizes.kanon_v0 = kanon_measured_0.kanon_v0
    OR (
      kanon_sizes.kanon_v0 IS NULL AND kanon_measured_0.kanon_v0 IS NULL
    )
  )
WHERE
  kanon_measured_0.kanon_violates AND @variant = 'distinct'
UNION ALL
SELECT
  CAST(kanon_sizes.kanon_size AS BIGINT) AS class_rows,
  kanon_measured_1.kanon_measure AS reached
FROM kanon_measured_1
JOIN kanon_sizes
  ON (
    kanon_sizes.kanon_v0 = kanon_measured_1.kanon_v0
    OR (
      kanon_sizes.kanon_v0 IS NULL AND kanon_measured_1.kanon_v0 IS NULL
    )
  )
WHERE
  kanon_measured_1.kanon_violates AND @variant = 'entropy'
UNION ALL
SELECT
  CAST(kanon_sizes.kanon_size AS BIGINT) AS class_rows,
  kanon_measured_2.kanon_measure AS reached
FROM kanon_measured_2
JOIN kanon_sizes
  ON (
    kanon_sizes.kanon_v0 = kanon_measured_2.kanon_v0
    OR (
      kanon_sizes.kanon_v0 IS NULL AND kanon_measured_2.kanon_v0 IS NULL
    )
  )
WHERE
  kanon_measured_2.kanon_violates AND @variant = 'recursive'
UNION ALL
SELECT
  kanon_size AS class_rows,
  NULL AS reached
FROM kanon_sizes
WHERE
  NOT COALESCE(@variant IN ('distinct', 'entropy', 'recursive'), FALSE);

-- t-closeness by equal distances: half the sum over all values of how much their shares differ from those in the
-- reference. `complete` is a condition: of the reference only the rows that meet it count.
AUDIT (name t_close, defaults (complete = TRUE));
WITH kanon_given AS (
  SELECT
    DENSE_RANK() OVER (ORDER BY @EACH(@quasi_identifiers, c -> c)) AS kanon_class,
    @sensitive AS kanon_value,
    COUNT(*) AS kanon_row_count
  FROM @this_model
  GROUP BY @EACH(@quasi_identifiers, c -> c), @sensitive
), kanon_everyone AS (
  SELECT @sensitive AS kanon_value, COUNT(*) AS kanon_row_count
  FROM @reference
  WHERE @complete
  GROUP BY @sensitive
), kanon_table_rows AS (
  SELECT
    kanon_class AS kanon_v0,
    kanon_value AS kanon_s0,
    kanon_row_count
  FROM kanon_given
), kanon_sizes AS (
  SELECT
    kanon_v0,
    CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_size,
    CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_holders
  FROM kanon_table_rows
  GROUP BY
    kanon_v0
), kanon_counted_0 AS (
  SELECT
    kanon_v0,
    kanon_s0 AS kanon_value,
    CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_row_count
  FROM kanon_table_rows
  GROUP BY
    kanon_v0,
    kanon_s0
), kanon_reference_0 AS (
  SELECT
    kanon_value AS kanon_value,
    CAST(SUM(kanon_row_count) AS DOUBLE) / SUM(SUM(kanon_row_count)) OVER () AS kanon_share
  FROM (
    SELECT
      kanon_s0 AS kanon_value,
      CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_row_count
    FROM (
      SELECT
        kanon_value AS kanon_s0,
        kanon_row_count
      FROM (
        SELECT
          kanon_value,
          kanon_row_count
        FROM kanon_everyone
      ) AS kanon_given_rows
    ) AS kanon_reference_rows
    GROUP BY
      kanon_s0
  ) AS kanon_values_there
  GROUP BY
    kanon_value
), kanon_shares_0 AS (
  SELECT
    kanon_counted_0.kanon_v0,
    kanon_counted_0.kanon_value,
    kanon_counted_0.kanon_row_count,
    CAST(kanon_counted_0.kanon_row_count AS DOUBLE) / SUM(kanon_counted_0.kanon_row_count) OVER (PARTITION BY kanon_counted_0.kanon_v0) AS kanon_share,
    kanon_reference_0.kanon_share AS kanon_expected
  FROM kanon_counted_0
  LEFT JOIN kanon_reference_0
    ON (
      kanon_reference_0.kanon_value = kanon_counted_0.kanon_value
      OR (
        kanon_reference_0.kanon_value IS NULL AND kanon_counted_0.kanon_value IS NULL
      )
    )
), kanon_measured_0 AS (
  SELECT
    kanon_v0,
    kanon_measure,
    kanon_measure > @t + CAST(1e-9 AS DOUBLE) AS kanon_violates
  FROM (
    SELECT
      kanon_v0,
      CAST((
        SUM(ABS(kanon_share - COALESCE(kanon_expected, 0))) + 1 - SUM(COALESCE(kanon_expected, 0))
      ) AS DOUBLE) / 2 AS kanon_measure
    FROM kanon_shares_0
    GROUP BY
      kanon_v0
  ) AS kanon_measured
)
SELECT
  CAST(kanon_sizes.kanon_size AS BIGINT) AS class_rows,
  kanon_measured_0.kanon_measure AS reached
FROM kanon_measured_0
JOIN kanon_sizes
  ON (
    kanon_sizes.kanon_v0 = kanon_measured_0.kanon_v0
    OR (
      kanon_sizes.kanon_v0 IS NULL AND kanon_measured_0.kanon_v0 IS NULL
    )
  )
WHERE
  kanon_measured_0.kanon_violates;

-- t-closeness by ordered distances: the sum over all values in their order, NULL first, of how much the shares up to
-- there differ, by one less than the values.
AUDIT (name t_close_ordered, defaults (complete = TRUE));
WITH kanon_given AS (
  SELECT
    DENSE_RANK() OVER (ORDER BY @EACH(@quasi_identifiers, c -> c)) AS kanon_class,
    @sensitive AS kanon_value,
    COUNT(*) AS kanon_row_count
  FROM @this_model
  GROUP BY @EACH(@quasi_identifiers, c -> c), @sensitive
), kanon_everyone AS (
  SELECT @sensitive AS kanon_value, COUNT(*) AS kanon_row_count
  FROM @reference
  WHERE @complete
  GROUP BY @sensitive
), kanon_table_rows AS (
  SELECT
    kanon_class AS kanon_v0,
    kanon_value AS kanon_s0,
    kanon_row_count
  FROM kanon_given
), kanon_sizes AS (
  SELECT
    kanon_v0,
    CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_size,
    CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_holders
  FROM kanon_table_rows
  GROUP BY
    kanon_v0
), kanon_counted_0 AS (
  SELECT
    kanon_v0,
    kanon_s0 AS kanon_value,
    CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_row_count
  FROM kanon_table_rows
  GROUP BY
    kanon_v0,
    kanon_s0
), kanon_reference_0 AS (
  SELECT
    kanon_value AS kanon_value,
    CAST(SUM(kanon_row_count) AS DOUBLE) / SUM(SUM(kanon_row_count)) OVER () AS kanon_share
  FROM (
    SELECT
      kanon_s0 AS kanon_value,
      CAST(SUM(kanon_row_count) AS BIGINT) AS kanon_row_count
    FROM (
      SELECT
        kanon_value AS kanon_s0,
        kanon_row_count
      FROM (
        SELECT
          *
        FROM (
          SELECT
            kanon_value,
            kanon_row_count
          FROM kanon_everyone
          UNION ALL
          SELECT
            kanon_value,
            0 AS kanon_row_count
          FROM kanon_given
        ) AS kanon_either_table
      ) AS kanon_given_rows
    ) AS kanon_reference_rows
    GROUP BY
      kanon_s0
  ) AS kanon_values_there
  GROUP BY
    kanon_value
), kanon_shares_0 AS (
  SELECT
    kanon_counted_0.kanon_v0,
    kanon_counted_0.kanon_value,
    kanon_counted_0.kanon_row_count,
    CAST(kanon_counted_0.kanon_row_count AS DOUBLE) / SUM(kanon_counted_0.kanon_row_count) OVER (PARTITION BY kanon_counted_0.kanon_v0) AS kanon_share,
    kanon_reference_0.kanon_share AS kanon_expected
  FROM kanon_counted_0
  LEFT JOIN kanon_reference_0
    ON (
      kanon_reference_0.kanon_value = kanon_counted_0.kanon_value
      OR (
        kanon_reference_0.kanon_value IS NULL AND kanon_counted_0.kanon_value IS NULL
      )
    )
), kanon_ranks_0 AS (
  SELECT
    kanon_value,
    DENSE_RANK() OVER (ORDER BY CASE WHEN kanon_value IS NULL THEN 0 ELSE 1 END, kanon_value) AS kanon_rank
  FROM kanon_reference_0
), kanon_ranked_0 AS (
  SELECT
    kanon_ranks_0.kanon_rank,
    SUM(kanon_reference_0.kanon_share) AS kanon_share
  FROM kanon_reference_0
  JOIN kanon_ranks_0
    ON (
      kanon_ranks_0.kanon_value = kanon_reference_0.kanon_value
      OR (
        kanon_ranks_0.kanon_value IS NULL AND kanon_reference_0.kanon_value IS NULL
      )
    )
  GROUP BY
    kanon_ranks_0.kanon_rank
), kanon_measured_0 AS (
  SELECT
    kanon_v0,
    kanon_measure,
    kanon_measure > @t + CAST(1e-9 AS DOUBLE) AS kanon_violates
  FROM (
    SELECT
      kanon_v0,
      COALESCE(CAST(SUM(ABS(kanon_up_to_here)) AS DOUBLE) / NULLIF(COUNT(*) - 1, 0), 0) AS kanon_measure
    FROM (
      SELECT
        kanon_v0,
        SUM(kanon_difference) OVER (
          PARTITION BY kanon_v0
          ORDER BY kanon_rank
          ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS kanon_up_to_here
      FROM (
        SELECT
          kanon_v0,
          kanon_rank,
          SUM(kanon_share) - MAX(kanon_expected) AS kanon_difference
        FROM (
          SELECT
            kanon_classes.kanon_v0,
            kanon_ranked_0.kanon_rank,
            0 AS kanon_share,
            kanon_ranked_0.kanon_share AS kanon_expected
          FROM (
            SELECT DISTINCT
              kanon_v0
            FROM kanon_counted_0
          ) AS kanon_classes
          CROSS JOIN kanon_ranked_0
          UNION ALL
          SELECT
            kanon_shares_0.kanon_v0,
            kanon_ranked_0.kanon_rank,
            kanon_shares_0.kanon_share,
            kanon_ranked_0.kanon_share AS kanon_expected
          FROM kanon_shares_0
          JOIN kanon_ranks_0
            ON (
              kanon_ranks_0.kanon_value = kanon_shares_0.kanon_value
              OR (
                kanon_ranks_0.kanon_value IS NULL AND kanon_shares_0.kanon_value IS NULL
              )
            )
          JOIN kanon_ranked_0
            ON kanon_ranked_0.kanon_rank = kanon_ranks_0.kanon_rank
        ) AS kanon_both_sides
        GROUP BY
          kanon_v0,
          kanon_rank
      ) AS kanon_differences
    ) AS kanon_cumulated
    GROUP BY
      kanon_v0
  ) AS kanon_measured
)
SELECT
  CAST(kanon_sizes.kanon_size AS BIGINT) AS class_rows,
  kanon_measured_0.kanon_measure AS reached
FROM kanon_measured_0
JOIN kanon_sizes
  ON (
    kanon_sizes.kanon_v0 = kanon_measured_0.kanon_v0
    OR (
      kanon_sizes.kanon_v0 IS NULL AND kanon_measured_0.kanon_v0 IS NULL
    )
  )
WHERE
  kanon_measured_0.kanon_violates;

-- No more rows of the source are left out than `at_most`, or than `percent` of them. Of the source only the rows that
-- meet the condition `complete` count.
AUDIT (name max_suppression, defaults (at_most = 0, percent = 0, complete = TRUE));
SELECT source_rows, released_rows
FROM (
  SELECT
    (SELECT COUNT(*) FROM @source_model WHERE @complete) AS source_rows,
    (SELECT COUNT(*) FROM @this_model) AS released_rows
) AS counted
WHERE (source_rows - released_rows - @at_most) * 100 > source_rows * @percent;
