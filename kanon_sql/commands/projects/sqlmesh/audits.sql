-- Audits of releases, by kanon-sql. Each returns one row for each class that violates: counts and measures, no values.
-- What is given as `sensitive` may be an expression, such as NULLIF(diagnosis, '?') for a text that means missing.

-- Each class holds k rows.
AUDIT (name k_anonymous);
SELECT COUNT(*) AS class_rows, COUNT(*) AS reached
FROM @this_model
GROUP BY @EACH(@quasi_identifiers, c -> c)
HAVING COUNT(*) < @k;

-- l-diversity: 'distinct' values, as many as their 'entropy' is worth, or 'recursive' with c. NULL is no value. A variant
-- that is none of these holds for no class.
AUDIT (name l_diverse, defaults (variant = 'distinct', c = NULL));
SELECT kanon_rows AS class_rows, kanon_reached AS reached
FROM (
  SELECT
    SUM(kanon_held) AS kanon_rows,
    CASE @variant
      WHEN 'distinct' THEN COUNT(kanon_value)
      WHEN 'entropy' THEN COALESCE(EXP(-SUM(
        CASE WHEN kanon_value IS NOT NULL THEN
          CAST(kanon_held AS DOUBLE) / kanon_present * LN(CAST(kanon_held AS DOUBLE) / kanon_present)
        END
      )), 0)
      WHEN 'recursive' THEN SUM(
        CASE WHEN kanon_value IS NOT NULL AND kanon_most < @c * kanon_from_here THEN 1 ELSE 0 END
      )
    END AS kanon_reached
  FROM (
    SELECT
      @EACH(@quasi_identifiers, c -> c),
      kanon_value,
      kanon_held,
      CAST(SUM(CASE WHEN kanon_value IS NOT NULL THEN kanon_held END) OVER (
        PARTITION BY @EACH(@quasi_identifiers, c -> c)
      ) AS BIGINT) AS kanon_present,
      MAX(CASE WHEN kanon_value IS NOT NULL THEN kanon_held END) OVER (
        PARTITION BY @EACH(@quasi_identifiers, c -> c)
      ) AS kanon_most,
      CAST(SUM(CASE WHEN kanon_value IS NOT NULL THEN kanon_held END) OVER (
        PARTITION BY @EACH(@quasi_identifiers, c -> c)
        ORDER BY kanon_held
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS BIGINT) AS kanon_from_here
    FROM (
      SELECT @EACH(@quasi_identifiers, c -> c), @sensitive AS kanon_value, COUNT(*) AS kanon_held
      FROM @this_model
      GROUP BY @EACH(@quasi_identifiers, c -> c), @sensitive
    ) AS counted
  ) AS ranked
  GROUP BY @EACH(@quasi_identifiers, c -> c)
) AS measured
WHERE NOT COALESCE(kanon_reached >= @l * CASE @variant WHEN 'entropy' THEN 1 - 1e-9 ELSE 1 END, FALSE);

-- t-closeness by equal distances: half the sum over all values of how much their shares differ from those in the
-- reference. `complete` is a condition: of the reference only the rows that meet it count.
AUDIT (name t_close, defaults (complete = TRUE));
SELECT kanon_rows AS class_rows, kanon_reached AS reached
FROM (
  SELECT
    SUM(kanon_held) AS kanon_rows,
    (SUM(ABS(kanon_share - COALESCE(kanon_expected, 0))) + 1 - SUM(COALESCE(kanon_expected, 0))) / 2 AS kanon_reached
  FROM (
    SELECT
      @EACH(@quasi_identifiers, c -> c),
      counted.kanon_held,
      CAST(counted.kanon_held AS DOUBLE) / SUM(counted.kanon_held) OVER (
        PARTITION BY @EACH(@quasi_identifiers, c -> c)
      ) AS kanon_share,
      everyone.kanon_expected
    FROM (
      SELECT @EACH(@quasi_identifiers, c -> c), @sensitive AS kanon_value, COUNT(*) AS kanon_held
      FROM @this_model
      GROUP BY @EACH(@quasi_identifiers, c -> c), @sensitive
    ) AS counted
    LEFT JOIN (
      SELECT kanon_other, CAST(kanon_all AS DOUBLE) / SUM(kanon_all) OVER () AS kanon_expected
      FROM (
        SELECT @sensitive AS kanon_other, COUNT(*) AS kanon_all
        FROM @reference
        WHERE @complete
        GROUP BY @sensitive
      ) AS totals
    ) AS everyone
      ON everyone.kanon_other = counted.kanon_value
      OR (everyone.kanon_other IS NULL AND counted.kanon_value IS NULL)
  ) AS shares
  GROUP BY @EACH(@quasi_identifiers, c -> c)
) AS measured
WHERE NOT COALESCE(kanon_reached <= @t + 1e-9, FALSE);

-- t-closeness by ordered distances: the sum over all values in their order, NULL first, of how much the shares up to there
-- differ, by one less than the values.
AUDIT (name t_close_ordered, defaults (complete = TRUE));
SELECT kanon_rows AS class_rows, kanon_reached AS reached
FROM (
  SELECT
    SUM(kanon_held) AS kanon_rows,
    COALESCE(SUM(ABS(kanon_up_to_here)) / NULLIF(COUNT(*) - 1, 0), 0) AS kanon_reached
  FROM (
    SELECT
      @EACH(@quasi_identifiers, c -> c),
      kanon_held,
      SUM(kanon_difference) OVER (
        PARTITION BY @EACH(@quasi_identifiers, c -> c)
        ORDER BY CASE WHEN kanon_value IS NULL THEN 0 ELSE 1 END, kanon_value
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS kanon_up_to_here
    FROM (
      SELECT
        @EACH(@quasi_identifiers, c -> c),
        kanon_value,
        SUM(kanon_held) AS kanon_held,
        SUM(kanon_share) - SUM(kanon_expected) AS kanon_difference
      FROM (
        SELECT
          @EACH(@quasi_identifiers, c -> c),
          kanon_value,
          kanon_held,
          CAST(kanon_held AS DOUBLE) / SUM(kanon_held) OVER (
            PARTITION BY @EACH(@quasi_identifiers, c -> c)
          ) AS kanon_share,
          CAST(0 AS DOUBLE) AS kanon_expected
        FROM (
          SELECT @EACH(@quasi_identifiers, c -> c), @sensitive AS kanon_value, COUNT(*) AS kanon_held
          FROM @this_model
          GROUP BY @EACH(@quasi_identifiers, c -> c), @sensitive
        ) AS counted
        UNION ALL
        SELECT
          @EACH(@quasi_identifiers, c -> c),
          everyone.kanon_other AS kanon_value,
          0 AS kanon_held,
          CAST(0 AS DOUBLE) AS kanon_share,
          everyone.kanon_expected
        FROM (SELECT DISTINCT @EACH(@quasi_identifiers, c -> c) FROM @this_model) AS classes
        CROSS JOIN (
          SELECT kanon_other, CAST(SUM(kanon_all) AS DOUBLE) / SUM(SUM(kanon_all)) OVER () AS kanon_expected
          FROM (
            SELECT @sensitive AS kanon_other, 1 AS kanon_all
            FROM @reference
            WHERE @complete
            UNION ALL
            SELECT @sensitive AS kanon_other, 0 AS kanon_all
            FROM @this_model
          ) AS either_table
          GROUP BY kanon_other
        ) AS everyone
      ) AS both_sides
      GROUP BY @EACH(@quasi_identifiers, c -> c), kanon_value
    ) AS differences
  ) AS cumulated
  GROUP BY @EACH(@quasi_identifiers, c -> c)
) AS measured
WHERE NOT COALESCE(kanon_reached <= @t + 1e-9, FALSE);

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
