-- sqlglot 30.30.0
-- A 2-anonymous release of FOLDER/people.parquet, found by kanon-sql.
-- Mondrian, cut: strict: 4 partitions; no row is left out.
-- Dialect redshift: NOT EXECUTED by any test of the project, only parsed. Check what it makes.
-- It reads a table with the columns of FOLDER/people.parquet; those that it compares: Home town VARCHAR, age INTEGER, born DATE, score DOUBLE.
-- It holds for the rows that were searched: after the source changes, search again. Rows with values
-- of quasi-identifiers that were not there then are left out, below the top of a hierarchy.
-- The rows come in a random order of the engine's own; a table that keeps them need not.
-- It holds values of the source: this text is as confidential as the source.
WITH "domain_0" AS (
  SELECT
    CAST("listed"."value" AS VARCHAR(MAX)) AS "value",
    "listed"."position" AS "position"
  FROM (
    SELECT
      'a, b' AS "value",
      2 AS "position"
    UNION ALL
    SELECT
      'alone',
      3
    UNION ALL
    SELECT
      'it''s',
      4
    UNION ALL
    SELECT
      'line
break',
      5
  ) AS "listed"
), "domain_1" AS (
  SELECT
    "listed"."value" AS "value",
    "listed"."position" AS "position"
  FROM (
    SELECT
      41 AS "value",
      9 AS "position"
    UNION ALL
    SELECT
      42,
      10
    UNION ALL
    SELECT
      43,
      11
    UNION ALL
    SELECT
      99,
      13
  ) AS "listed"
), "domain_2" AS (
  SELECT
    CAST("listed"."value" AS DATE) AS "value",
    "listed"."position" AS "position"
  FROM (
    SELECT
      '1950-01-01' AS "value",
      9 AS "position"
    UNION ALL
    SELECT
      '2001-02-03',
      13
    UNION ALL
    SELECT
      '2001-02-04',
      14
    UNION ALL
    SELECT
      '2002-02-03',
      17
  ) AS "listed"
), "domain_3" AS (
  SELECT
    CAST("listed"."value" AS DOUBLE PRECISION) AS "value",
    "listed"."position" AS "position"
  FROM (
    SELECT
      '0.1' AS "value",
      2 AS "position"
    UNION ALL
    SELECT
      '2.5',
      3
    UNION ALL
    SELECT
      '7.0',
      4
  ) AS "listed"
), "tuples" AS (
  SELECT
    "listed"."p0" AS "p0",
    "listed"."p1" AS "p1",
    "listed"."p2" AS "p2",
    "listed"."p3" AS "p3",
    "listed"."part" AS "part"
  FROM (
    SELECT
      1 AS "p0",
      11 AS "p1",
      5 AS "p2",
      3 AS "p3",
      5 AS "part"
    UNION ALL
    SELECT
      2,
      10,
      14,
      2,
      3
    UNION ALL
    SELECT
      3,
      13,
      9,
      4,
      5
    UNION ALL
    SELECT
      4,
      9,
      13,
      2,
      4
    UNION ALL
    SELECT
      5,
      5,
      17,
      3,
      6
  ) AS "listed"
), "classes" AS (
  SELECT
    "listed"."part" AS "part",
    CAST("listed"."label_0" AS VARCHAR(MAX)) AS "label_0",
    CAST("listed"."label_1" AS VARCHAR(MAX)) AS "label_1",
    CAST("listed"."label_2" AS VARCHAR(MAX)) AS "label_2",
    CAST("listed"."label_3" AS VARCHAR(MAX)) AS "label_3"
  FROM (
    SELECT
      3 AS "part",
      'a, b' AS "label_0",
      '42' AS "label_1",
      '2001-02-04' AS "label_2",
      '0.1' AS "label_3"
    UNION ALL
    SELECT
      4,
      'it''s',
      '41',
      '2001-02-03',
      '0.1'
    UNION ALL
    SELECT
      5,
      '*',
      '*',
      '*',
      '*'
    UNION ALL
    SELECT
      6,
      'line
break',
      CAST(NULL AS VARCHAR(MAX)),
      '2002-02-03',
      '2.5'
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
), "placed" AS (
  SELECT
    "source_rows"."o4" AS "o4",
    CASE WHEN "source_rows"."k0" IS NULL THEN 1 ELSE "domain_0"."position" END AS "p0",
    CASE WHEN "source_rows"."k1" IS NULL THEN 5 ELSE "domain_1"."position" END AS "p1",
    CASE WHEN "source_rows"."k2" IS NULL THEN 5 ELSE "domain_2"."position" END AS "p2",
    CASE WHEN "source_rows"."k3" IS NULL THEN 1 ELSE "domain_3"."position" END AS "p3"
  FROM "source_rows"
  LEFT JOIN "domain_0"
    ON "domain_0"."value" = "source_rows"."k0"
  LEFT JOIN "domain_1"
    ON "domain_1"."value" = "source_rows"."k1"
  LEFT JOIN "domain_2"
    ON "domain_2"."value" = "source_rows"."k2"
  LEFT JOIN "domain_3"
    ON "domain_3"."value" = "source_rows"."k3"
), "members" AS (
  SELECT
    "tuples"."p0",
    "tuples"."p1",
    "tuples"."p2",
    "tuples"."p3",
    "classes"."label_0",
    "classes"."label_1",
    "classes"."label_2",
    "classes"."label_3"
  FROM "tuples"
  JOIN "classes"
    ON "classes"."part" = "tuples"."part"
), "released" AS (
  SELECT
    "members"."label_0" AS "r0",
    "members"."label_1" AS "r1",
    "members"."label_2" AS "r2",
    "members"."label_3" AS "r3",
    "placed"."o4" AS "r4"
  FROM "placed"
  JOIN "members"
    ON "members"."p0" = "placed"."p0"
    AND "members"."p1" = "placed"."p1"
    AND "members"."p2" = "placed"."p2"
    AND "members"."p3" = "placed"."p3"
)
SELECT
  "r0" AS "Home town",
  "r1" AS "age",
  "r2" AS "born",
  "r3" AS "score",
  "r4" AS "s"
FROM "released"
ORDER BY
  RANDOM();
