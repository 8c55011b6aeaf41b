-- sqlglot 30.30.0
-- The classes that violate k = 2 or a model, in the table lab.release: one row each, counts only. No row: it holds.
-- Levels: Home town 0, age 0, born 0, score 0.
-- 5 of 9 rows lie in classes that violate k or a model and are left out.
-- Dialect redshift: NOT EXECUTED by any test of the project, only parsed. Check what it makes.
-- It reads a table with the columns of FOLDER/people.parquet; those that it compares: Home town VARCHAR, age INTEGER, born DATE, score DOUBLE.
-- It holds for the rows that were searched: after the source changes, search again. Rows with values
-- of quasi-identifiers that were not there then are left out, below the top of a hierarchy.
-- It holds values of the source: this text is as confidential as the source.
WITH "ranks_0" AS (
  SELECT
    CAST("listed"."value" AS VARCHAR(MAX)) AS "value",
    "listed"."rank" AS "rank"
  FROM (
    SELECT
      CAST(NULL AS VARCHAR(MAX)) AS "value",
      0 AS "rank"
    UNION ALL
    SELECT
      'cold',
      1
    UNION ALL
    SELECT
      'flu',
      2
    UNION ALL
    SELECT
      'none',
      3
  ) AS "listed"
), "source_rows" AS (
  SELECT
    CASE
      WHEN CAST("c0" AS VARCHAR(MAX)) IN ('', '?')
      THEN NULL
      ELSE CAST("c0" AS VARCHAR(MAX))
    END AS "k0",
    "c1" AS "k1",
    "c2" AS "k2",
    "c3" AS "k3",
    "c4" AS "o4"
  FROM (
    SELECT
      "Home town" AS "c0",
      "age" AS "c1",
      "born" AS "c2",
      "score" AS "c3",
      "s" AS "c4"
    FROM "lab"."people"
  ) AS "participants"
), "table_rows" AS (
  SELECT
    "Home town" AS "v0",
    "age" AS "v1",
    "born" AS "v2",
    "score" AS "v3",
    CASE
      WHEN CAST("s" AS VARCHAR(MAX)) IN ('', '?')
      THEN NULL
      ELSE CAST("s" AS VARCHAR(MAX))
    END AS "s0"
  FROM "lab"."release"
), "sizes" AS (
  SELECT
    "v0",
    "v1",
    "v2",
    "v3",
    COUNT(*) AS "size",
    COUNT(*) AS "holders"
  FROM "table_rows"
  GROUP BY
    "v0",
    "v1",
    "v2",
    "v3"
), "counted_0" AS (
  SELECT
    "v0",
    "v1",
    "v2",
    "v3",
    "s0" AS "value",
    COUNT(*) AS "row_count"
  FROM "table_rows"
  GROUP BY
    "v0",
    "v1",
    "v2",
    "v3",
    "s0"
), "reference_0" AS (
  SELECT
    CAST("value" AS VARCHAR(MAX)) AS "value",
    CAST(SUM("row_count") AS DOUBLE PRECISION) / SUM(SUM("row_count")) OVER () AS "share"
  FROM (
    SELECT
      "s0" AS "value",
      COUNT(*) AS "row_count"
    FROM (
      SELECT
        CASE
          WHEN CAST("o4" AS VARCHAR(MAX)) IN ('', '?')
          THEN NULL
          ELSE CAST("o4" AS VARCHAR(MAX))
        END AS "s0"
      FROM "source_rows"
    ) AS "reference_rows"
    GROUP BY
      "s0"
  ) AS "values_there"
  GROUP BY
    CAST("value" AS VARCHAR(MAX))
), "shares_0" AS (
  SELECT
    "counted_0"."v0",
    "counted_0"."v1",
    "counted_0"."v2",
    "counted_0"."v3",
    "counted_0"."value",
    "counted_0"."row_count",
    CAST("counted_0"."row_count" AS DOUBLE PRECISION) / SUM("counted_0"."row_count") OVER (
      PARTITION BY "counted_0"."v0", "counted_0"."v1", "counted_0"."v2", "counted_0"."v3"
    ) AS "share",
    "reference_0"."share" AS "expected"
  FROM "counted_0"
  LEFT JOIN "reference_0"
    ON (
      "reference_0"."value" = CAST("counted_0"."value" AS VARCHAR(MAX))
      OR (
        "reference_0"."value" IS NULL
        AND CAST("counted_0"."value" AS VARCHAR(MAX)) IS NULL
      )
    )
), "ranked_0" AS (
  SELECT
    "ranks_0"."rank",
    SUM("reference_0"."share") AS "share"
  FROM "reference_0"
  JOIN "ranks_0"
    ON (
      "ranks_0"."value" = "reference_0"."value"
      OR (
        "ranks_0"."value" IS NULL AND "reference_0"."value" IS NULL
      )
    )
  GROUP BY
    "ranks_0"."rank"
), "measured_0" AS (
  SELECT
    "v0",
    "v1",
    "v2",
    "v3",
    "measure",
    "measure" < 2 * (
      1 - CAST(1e-9 AS DOUBLE PRECISION)
    ) AS "violates"
  FROM (
    SELECT
      "v0",
      "v1",
      "v2",
      "v3",
      COALESCE(EXP(-SUM(CASE WHEN NOT "value" IS NULL THEN "share" * LN("share") END)), 0) AS "measure"
    FROM (
      SELECT
        "v0",
        "v1",
        "v2",
        "v3",
        "value",
        CAST("row_count" AS DOUBLE PRECISION) / SUM(CASE WHEN NOT "value" IS NULL THEN "row_count" END) OVER (PARTITION BY "v0", "v1", "v2", "v3") AS "share"
      FROM "counted_0"
    ) AS "shares_0"
    GROUP BY
      "v0",
      "v1",
      "v2",
      "v3"
  ) AS "measured"
), "measured_1" AS (
  SELECT
    "v0",
    "v1",
    "v2",
    "v3",
    "measure",
    "measure" < 1 AS "violates"
  FROM (
    SELECT
      "v0",
      "v1",
      "v2",
      "v3",
      COUNT(CASE WHEN NOT "value" IS NULL AND "most" * 1 < 3 * "from_here" THEN 1 END) AS "measure"
    FROM (
      SELECT
        "v0",
        "v1",
        "v2",
        "v3",
        "value",
        MAX(CASE WHEN NOT "value" IS NULL THEN "row_count" END) OVER (PARTITION BY "v0", "v1", "v2", "v3") AS "most",
        SUM(CASE WHEN NOT "value" IS NULL THEN "row_count" END) OVER (
          PARTITION BY "v0", "v1", "v2", "v3"
          ORDER BY "row_count", "value"
          ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS "from_here"
      FROM "counted_0"
    ) AS "ranked_0"
    GROUP BY
      "v0",
      "v1",
      "v2",
      "v3"
  ) AS "measured"
), "measured_2" AS (
  SELECT
    "v0",
    "v1",
    "v2",
    "v3",
    "measure",
    "measure" > CAST(0.9 AS DOUBLE PRECISION) + CAST(1e-9 AS DOUBLE PRECISION) AS "violates"
  FROM (
    SELECT
      "v0",
      "v1",
      "v2",
      "v3",
      CAST((
        SUM(ABS("share" - COALESCE("expected", 0))) + 1 - SUM(COALESCE("expected", 0))
      ) AS DOUBLE PRECISION) / 2 AS "measure"
    FROM "shares_0"
    GROUP BY
      "v0",
      "v1",
      "v2",
      "v3"
  ) AS "measured"
), "measured_3" AS (
  SELECT
    "v0",
    "v1",
    "v2",
    "v3",
    "measure",
    "measure" > CAST(0.9 AS DOUBLE PRECISION) + CAST(1e-9 AS DOUBLE PRECISION) AS "violates"
  FROM (
    SELECT
      "v0",
      "v1",
      "v2",
      "v3",
      COALESCE(CAST(SUM(ABS("up_to_here")) AS DOUBLE PRECISION) / NULLIF(COUNT(*) - 1, 0), 0) AS "measure"
    FROM (
      SELECT
        "v0",
        "v1",
        "v2",
        "v3",
        SUM("difference") OVER (
          PARTITION BY "v0", "v1", "v2", "v3"
          ORDER BY "rank"
          ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS "up_to_here"
      FROM (
        SELECT
          "v0",
          "v1",
          "v2",
          "v3",
          "rank",
          SUM("share") - MAX("expected") AS "difference"
        FROM (
          SELECT
            "classes"."v0",
            "classes"."v1",
            "classes"."v2",
            "classes"."v3",
            "ranked_0"."rank",
            0 AS "share",
            "ranked_0"."share" AS "expected"
          FROM (
            SELECT DISTINCT
              "v0",
              "v1",
              "v2",
              "v3"
            FROM "counted_0"
          ) AS "classes"
          CROSS JOIN "ranked_0"
          UNION ALL
          SELECT
            "shares_0"."v0",
            "shares_0"."v1",
            "shares_0"."v2",
            "shares_0"."v3",
            "ranked_0"."rank",
            "shares_0"."share",
            "ranked_0"."share" AS "expected"
          FROM "shares_0"
          JOIN "ranks_0"
            ON (
              "ranks_0"."value" = CAST("shares_0"."value" AS VARCHAR(MAX))
              OR (
                "ranks_0"."value" IS NULL AND CAST("shares_0"."value" AS VARCHAR(MAX)) IS NULL
              )
            )
          JOIN "ranked_0"
            ON "ranked_0"."rank" = "ranks_0"."rank"
        ) AS "both_sides"
        GROUP BY
          "v0",
          "v1",
          "v2",
          "v3",
          "rank"
      ) AS "differences"
    ) AS "cumulated"
    GROUP BY
      "v0",
      "v1",
      "v2",
      "v3"
  ) AS "measured"
), "measured_4" AS (
  SELECT
    "v0",
    "v1",
    "v2",
    "v3",
    CAST(MAX("row_count") AS DOUBLE PRECISION) / SUM("row_count") AS "measure",
    MAX("row_count") * 10 > 9 * SUM("row_count") AS "violates"
  FROM "counted_0"
  GROUP BY
    "v0",
    "v1",
    "v2",
    "v3"
), "measured_5" AS (
  SELECT
    "v0",
    "v1",
    "v2",
    "v3",
    "measure",
    "exceeds" > CAST(1e-9 AS DOUBLE PRECISION) AS "violates"
  FROM (
    SELECT
      "v0",
      "v1",
      "v2",
      "v3",
      MAX(
        COALESCE(
          CAST((
            "share" - "expected"
          ) AS DOUBLE PRECISION) / "expected",
          CAST('Infinity' AS DOUBLE PRECISION)
        )
      ) AS "measure",
      MAX(
        COALESCE(
          CAST((
            "share" - "expected"
          ) AS DOUBLE PRECISION) / "expected" - LEAST(3, -LN("expected")),
          CAST('Infinity' AS DOUBLE PRECISION)
        )
      ) AS "exceeds"
    FROM "shares_0"
    GROUP BY
      "v0",
      "v1",
      "v2",
      "v3"
  ) AS "measured"
)
SELECT
  CAST('k' AS VARCHAR(MAX)) AS "requirement",
  CAST("size" AS BIGINT) AS "class_rows",
  CAST("holders" AS DOUBLE PRECISION) AS "reached"
FROM "sizes"
WHERE
  "holders" < 2
UNION ALL
SELECT
  CAST('l_diversity of s' AS VARCHAR(MAX)) AS "requirement",
  CAST("sizes"."size" AS BIGINT) AS "class_rows",
  CAST("measured_0"."measure" AS DOUBLE PRECISION) AS "reached"
FROM "measured_0"
JOIN "sizes"
  ON (
    "sizes"."v0" = "measured_0"."v0"
    OR (
      "sizes"."v0" IS NULL AND "measured_0"."v0" IS NULL
    )
  )
  AND (
    "sizes"."v1" = "measured_0"."v1"
    OR (
      "sizes"."v1" IS NULL AND "measured_0"."v1" IS NULL
    )
  )
  AND (
    "sizes"."v2" = "measured_0"."v2"
    OR (
      "sizes"."v2" IS NULL AND "measured_0"."v2" IS NULL
    )
  )
  AND (
    "sizes"."v3" = "measured_0"."v3"
    OR (
      "sizes"."v3" IS NULL AND "measured_0"."v3" IS NULL
    )
  )
WHERE
  "measured_0"."violates"
UNION ALL
SELECT
  CAST('l_diversity of s' AS VARCHAR(MAX)) AS "requirement",
  CAST("sizes"."size" AS BIGINT) AS "class_rows",
  CAST("measured_1"."measure" AS DOUBLE PRECISION) AS "reached"
FROM "measured_1"
JOIN "sizes"
  ON (
    "sizes"."v0" = "measured_1"."v0"
    OR (
      "sizes"."v0" IS NULL AND "measured_1"."v0" IS NULL
    )
  )
  AND (
    "sizes"."v1" = "measured_1"."v1"
    OR (
      "sizes"."v1" IS NULL AND "measured_1"."v1" IS NULL
    )
  )
  AND (
    "sizes"."v2" = "measured_1"."v2"
    OR (
      "sizes"."v2" IS NULL AND "measured_1"."v2" IS NULL
    )
  )
  AND (
    "sizes"."v3" = "measured_1"."v3"
    OR (
      "sizes"."v3" IS NULL AND "measured_1"."v3" IS NULL
    )
  )
WHERE
  "measured_1"."violates"
UNION ALL
SELECT
  CAST('t_closeness of s' AS VARCHAR(MAX)) AS "requirement",
  CAST("sizes"."size" AS BIGINT) AS "class_rows",
  CAST("measured_2"."measure" AS DOUBLE PRECISION) AS "reached"
FROM "measured_2"
JOIN "sizes"
  ON (
    "sizes"."v0" = "measured_2"."v0"
    OR (
      "sizes"."v0" IS NULL AND "measured_2"."v0" IS NULL
    )
  )
  AND (
    "sizes"."v1" = "measured_2"."v1"
    OR (
      "sizes"."v1" IS NULL AND "measured_2"."v1" IS NULL
    )
  )
  AND (
    "sizes"."v2" = "measured_2"."v2"
    OR (
      "sizes"."v2" IS NULL AND "measured_2"."v2" IS NULL
    )
  )
  AND (
    "sizes"."v3" = "measured_2"."v3"
    OR (
      "sizes"."v3" IS NULL AND "measured_2"."v3" IS NULL
    )
  )
WHERE
  "measured_2"."violates"
UNION ALL
SELECT
  CAST('t_closeness of s' AS VARCHAR(MAX)) AS "requirement",
  CAST("sizes"."size" AS BIGINT) AS "class_rows",
  CAST("measured_3"."measure" AS DOUBLE PRECISION) AS "reached"
FROM "measured_3"
JOIN "sizes"
  ON (
    "sizes"."v0" = "measured_3"."v0"
    OR (
      "sizes"."v0" IS NULL AND "measured_3"."v0" IS NULL
    )
  )
  AND (
    "sizes"."v1" = "measured_3"."v1"
    OR (
      "sizes"."v1" IS NULL AND "measured_3"."v1" IS NULL
    )
  )
  AND (
    "sizes"."v2" = "measured_3"."v2"
    OR (
      "sizes"."v2" IS NULL AND "measured_3"."v2" IS NULL
    )
  )
  AND (
    "sizes"."v3" = "measured_3"."v3"
    OR (
      "sizes"."v3" IS NULL AND "measured_3"."v3" IS NULL
    )
  )
WHERE
  "measured_3"."violates"
UNION ALL
SELECT
  CAST('alpha_k of s' AS VARCHAR(MAX)) AS "requirement",
  CAST("sizes"."size" AS BIGINT) AS "class_rows",
  CAST("measured_4"."measure" AS DOUBLE PRECISION) AS "reached"
FROM "measured_4"
JOIN "sizes"
  ON (
    "sizes"."v0" = "measured_4"."v0"
    OR (
      "sizes"."v0" IS NULL AND "measured_4"."v0" IS NULL
    )
  )
  AND (
    "sizes"."v1" = "measured_4"."v1"
    OR (
      "sizes"."v1" IS NULL AND "measured_4"."v1" IS NULL
    )
  )
  AND (
    "sizes"."v2" = "measured_4"."v2"
    OR (
      "sizes"."v2" IS NULL AND "measured_4"."v2" IS NULL
    )
  )
  AND (
    "sizes"."v3" = "measured_4"."v3"
    OR (
      "sizes"."v3" IS NULL AND "measured_4"."v3" IS NULL
    )
  )
WHERE
  "measured_4"."violates"
UNION ALL
SELECT
  CAST('beta of s' AS VARCHAR(MAX)) AS "requirement",
  CAST("sizes"."size" AS BIGINT) AS "class_rows",
  CAST("measured_5"."measure" AS DOUBLE PRECISION) AS "reached"
FROM "measured_5"
JOIN "sizes"
  ON (
    "sizes"."v0" = "measured_5"."v0"
    OR (
      "sizes"."v0" IS NULL AND "measured_5"."v0" IS NULL
    )
  )
  AND (
    "sizes"."v1" = "measured_5"."v1"
    OR (
      "sizes"."v1" IS NULL AND "measured_5"."v1" IS NULL
    )
  )
  AND (
    "sizes"."v2" = "measured_5"."v2"
    OR (
      "sizes"."v2" IS NULL AND "measured_5"."v2" IS NULL
    )
  )
  AND (
    "sizes"."v3" = "measured_5"."v3"
    OR (
      "sizes"."v3" IS NULL AND "measured_5"."v3" IS NULL
    )
  )
WHERE
  "measured_5"."violates";
