-- sqlglot 30.30.0
-- A 2-anonymous release of FOLDER/people.parquet, found by kanon-sql.
-- Levels: Home town 0, age 0, born 0, score 0.
-- 1 of 5 rows lie in classes that violate k or a model and are left out.
-- Dialect postgres: the project's tests execute its statements, by PostgreSQL.
-- It reads a table with the columns of FOLDER/people.parquet; those that it compares: Home town VARCHAR, age INTEGER, born DATE, score DOUBLE.
-- Names of columns stand in quotes as they were searched: postgres tells their case apart.
-- It holds for the rows that were searched: after the source changes, search again. Rows with values
-- of quasi-identifiers that were not there then are left out, below the top of a hierarchy.
-- The rows come in a random order of the engine's own; a table that keeps them need not.
-- It holds values of the source: this text is as confidential as the source.
WITH "mapping_0" AS (
  SELECT
    CAST("listed"."value" AS TEXT) AS "value",
    CAST("listed"."released" AS TEXT) AS "released",
    "listed"."code" AS "code"
  FROM (VALUES
    ('a, b', 'a, b', 1),
    ('alone', 'alone', 2),
    ('it''s', 'it''s', 3)) AS "listed"("value", "released", "code")
), "mapping_1" AS (
  SELECT
    "listed"."value" AS "value",
    "listed"."code" AS "code"
  FROM (VALUES
    (41, 1),
    (42, 2),
    (99, 3)) AS "listed"("value", "code")
), "mapping_2" AS (
  SELECT
    CAST("listed"."value" AS DATE) AS "value",
    "listed"."code" AS "code"
  FROM (VALUES
    ('1950-01-01', 1),
    ('2001-02-03', 2),
    ('2001-02-04', 3)) AS "listed"("value", "code")
), "mapping_3" AS (
  SELECT
    CAST("listed"."value" AS DOUBLE PRECISION) AS "value",
    CAST("listed"."released" AS DOUBLE PRECISION) AS "released",
    "listed"."code" AS "code"
  FROM (VALUES
    ('0.1', '0.1', 1),
    ('7.0', '7.0', 2)) AS "listed"("value", "released", "code")
), "violating" AS (
  SELECT
    "listed"."class_0" AS "class_0",
    "listed"."is_listed" AS "is_listed"
  FROM (VALUES
    (158, 1)) AS "listed"("class_0", "is_listed")
), "source_rows" AS (
  SELECT
    CASE WHEN CAST("c0" AS TEXT) IN ('', '?') THEN NULL ELSE CAST("c0" AS TEXT) END AS "k0",
    "c1" AS "k1",
    "c2" AS "k2",
    "c3" AS "k3",
    "c4" AS "o4"
  FROM (
    SELECT
      "c0",
      "c1",
      "c2",
      "c3",
      "c4"
    FROM (
      SELECT
        "Home town" AS "c0",
        "age" AS "c1",
        "born" AS "c2",
        "score" AS "c3",
        "s" AS "c4"
      FROM "lab"."people"
    ) AS "source"
    WHERE
      NOT CASE WHEN CAST("c0" AS TEXT) IN ('', '?') THEN NULL ELSE CAST("c0" AS TEXT) END IS NULL
      AND NOT "c1" IS NULL
      AND NOT "c2" IS NULL
      AND NOT "c3" IS NULL
  ) AS "participants"
), "generalized" AS (
  SELECT
    "mapping_0"."released" AS "o0",
    "source_rows"."k1" AS "o1",
    "source_rows"."k2" AS "o2",
    "mapping_3"."released" AS "o3",
    "source_rows"."o4" AS "o4",
    CASE WHEN "source_rows"."k0" IS NULL THEN 0 ELSE "mapping_0"."code" END + CASE WHEN "source_rows"."k1" IS NULL THEN 0 ELSE "mapping_1"."code" END * 4 + CASE WHEN "source_rows"."k2" IS NULL THEN 0 ELSE "mapping_2"."code" END * 16 + CASE WHEN "source_rows"."k3" IS NULL THEN 0 ELSE "mapping_3"."code" END * 64 AS "class_0"
  FROM "source_rows"
  LEFT JOIN "mapping_0"
    ON "mapping_0"."value" = "source_rows"."k0"
  LEFT JOIN "mapping_1"
    ON "mapping_1"."value" = "source_rows"."k1"
  LEFT JOIN "mapping_2"
    ON "mapping_2"."value" = "source_rows"."k2"
  LEFT JOIN "mapping_3"
    ON "mapping_3"."value" = "source_rows"."k3"
  WHERE
    (
      "source_rows"."k0" IS NULL OR NOT "mapping_0"."value" IS NULL
    )
    AND (
      "source_rows"."k1" IS NULL OR NOT "mapping_1"."value" IS NULL
    )
    AND (
      "source_rows"."k2" IS NULL OR NOT "mapping_2"."value" IS NULL
    )
    AND (
      "source_rows"."k3" IS NULL OR NOT "mapping_3"."value" IS NULL
    )
), "judged" AS (
  SELECT
    "o0",
    "o1",
    "o2",
    "o3",
    "o4",
    CASE WHEN "violating"."is_listed" = 1 THEN 1 ELSE 0 END AS "left_out"
  FROM "generalized"
  LEFT JOIN "violating"
    ON "violating"."class_0" = "generalized"."class_0"
), "released" AS (
  SELECT
    "o0" AS "o0",
    "o1" AS "o1",
    "o2" AS "o2",
    "o3" AS "o3",
    "o4" AS "o4"
  FROM "judged"
  WHERE
    "left_out" = 0
)
SELECT
  "o0" AS "Home town",
  "o1" AS "age",
  "o2" AS "born",
  "o3" AS "score",
  "o4" AS "s"
FROM "released"
ORDER BY
  RANDOM();
