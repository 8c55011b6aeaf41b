-- sqlglot 30.30.0
-- A 2-anonymous release of FOLDER/people.parquet, found by kanon-sql.
-- Mondrian, cut: relaxed: 3 partitions; no row is left out.
-- Dialect postgres: the project's tests execute its statements, by PostgreSQL.
-- It reads a table with the columns of FOLDER/people.parquet; those that it compares: score DOUBLE.
-- Names of columns stand in quotes as they were searched: postgres tells their case apart.
-- It holds for the rows that were searched: after the source changes, search again. Rows with values
-- of quasi-identifiers that were not there then are left out, below the top of a hierarchy.
-- The rows come in a random order of the engine's own; a table that keeps them need not.
-- It holds values of the source: this text is as confidential as the source.
WITH "domain_0" AS (
  SELECT
    CAST("listed"."value" AS DOUBLE PRECISION) AS "value",
    "listed"."position" AS "position"
  FROM (VALUES
    ('0.1', 1),
    ('2.5', 2),
    ('7.0', 3)) AS "listed"("value", "position")
), "tuples" AS (
  SELECT
    "listed"."p0" AS "p0",
    "listed"."part" AS "part",
    "listed"."rows_before" AS "rows_before",
    "listed"."last_row" AS "last_row"
  FROM (VALUES
    (1, 1, 0, 4),
    (2, 3, 0, 2),
    (2, 4, 2, 4),
    (3, 4, 0, 1)) AS "listed"("p0", "part", "rows_before", "last_row")
), "classes" AS (
  SELECT
    "listed"."part" AS "part",
    CAST("listed"."label_0" AS TEXT) AS "label_0"
  FROM (VALUES
    (1, '0.1'),
    (3, '2.5'),
    (4, '2.5-7.0')) AS "listed"("part", "label_0")
), "source_rows" AS (
  SELECT
    "c3" AS "k3",
    "c4" AS "o4"
  FROM (
    SELECT
      "score" AS "c3",
      "s" AS "c4"
    FROM "lab"."people"
  ) AS "participants"
), "placed" AS (
  SELECT
    "source_rows"."o4" AS "o4",
    "domain_0"."position" AS "p0",
    MD5(CONCAT('1', '-', COALESCE(MD5(CAST("source_rows"."o4" AS TEXT)), '-'))) AS "drawn_0"
  FROM "source_rows"
  LEFT JOIN "domain_0"
    ON "domain_0"."value" = "source_rows"."k3"
), "dealt" AS (
  SELECT
    "o4",
    "p0",
    ROW_NUMBER() OVER (PARTITION BY "p0" ORDER BY "drawn_0") AS "turn"
  FROM "placed"
), "members" AS (
  SELECT
    "tuples"."p0",
    "tuples"."rows_before",
    "tuples"."last_row",
    "classes"."label_0"
  FROM "tuples"
  JOIN "classes"
    ON "classes"."part" = "tuples"."part"
), "released" AS (
  SELECT
    "members"."label_0" AS "r0",
    "dealt"."o4" AS "r1"
  FROM "dealt"
  JOIN "members"
    ON "members"."p0" = "dealt"."p0"
    AND "dealt"."turn" > "members"."rows_before"
    AND "dealt"."turn" <= "members"."last_row"
)
SELECT
  "r0" AS "score",
  "r1" AS "s"
FROM "released"
ORDER BY
  RANDOM();
