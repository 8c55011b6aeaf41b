-- sqlglot 30.30.0
-- A 2-anonymous release of FOLDER/people.parquet, found by kanon-sql.
-- Levels: Home town 0, age 0, born 0, score 0.
-- 1 of 9 rows lie in classes of fewer than 2 rows and are left out.
-- Dialect databricks: NOT EXECUTED by any test of the project, only parsed. Check what it makes.
-- It reads a table with the columns of FOLDER/people.parquet; those that it compares: Home town VARCHAR, age INTEGER, born DATE, score DOUBLE.
-- It holds for the rows that were searched: after the source changes, search again. Rows with values
-- of quasi-identifiers that were not there then are left out, below the top of a hierarchy.
-- It holds values of the source: this text is as confidential as the source.
WITH `mapping_0` AS (
  SELECT
    CAST(`listed`.`value` AS STRING) AS `value`,
    CAST(`listed`.`released` AS STRING) AS `released`
  FROM VALUES
    ('a, b', 'a, b'),
    ('alone', 'alone'),
    ('it\'s', 'it\'s'),
    ('line\nbreak', 'line\nbreak') AS `listed`(`value`, `released`)
), `mapping_1` AS (
  SELECT
    `listed`.`value` AS `value`,
    CAST(`listed`.`released` AS STRING) AS `released`
  FROM VALUES
    (41, '41'),
    (42, '42'),
    (43, '43'),
    (99, '99') AS `listed`(`value`, `released`)
), `mapping_2` AS (
  SELECT
    CAST(`listed`.`value` AS DATE) AS `value`,
    CAST(`listed`.`released` AS STRING) AS `released`
  FROM VALUES
    ('1950-01-01', '1950-01-01'),
    ('2001-02-03', '2001-02-03'),
    ('2001-02-04', '2001-02-04'),
    ('2002-02-03', '2002-02-03') AS `listed`(`value`, `released`)
), `mapping_3` AS (
  SELECT
    CAST(`listed`.`value` AS DOUBLE) AS `value`,
    CAST(`listed`.`released` AS STRING) AS `released`
  FROM VALUES
    ('0.1', '0.1'),
    ('2.5', '2.5'),
    ('7.0', '7.0') AS `listed`(`value`, `released`)
), `source_rows` AS (
  SELECT
    CASE WHEN CAST(`c0` AS STRING) IN ('', '?') THEN NULL ELSE CAST(`c0` AS STRING) END AS `k0`,
    `c1` AS `k1`,
    `c2` AS `k2`,
    `c3` AS `k3`,
    `c4` AS `o4`
  FROM (
    SELECT
      `Home town` AS `c0`,
      `age` AS `c1`,
      `born` AS `c2`,
      `score` AS `c3`,
      `s` AS `c4`
    FROM `lab`.`people`
  ) AS `participants`
), `generalized` AS (
  SELECT
    `mapping_0`.`released` AS `o0`,
    `mapping_1`.`released` AS `o1`,
    `mapping_2`.`released` AS `o2`,
    `mapping_3`.`released` AS `o3`,
    `source_rows`.`o4` AS `o4`
  FROM `source_rows`
  LEFT JOIN `mapping_0`
    ON `mapping_0`.`value` = `source_rows`.`k0`
  LEFT JOIN `mapping_1`
    ON `mapping_1`.`value` = `source_rows`.`k1`
  LEFT JOIN `mapping_2`
    ON `mapping_2`.`value` = `source_rows`.`k2`
  LEFT JOIN `mapping_3`
    ON `mapping_3`.`value` = `source_rows`.`k3`
  WHERE
    (
      `source_rows`.`k0` IS NULL OR NOT `mapping_0`.`value` IS NULL
    )
    AND (
      `source_rows`.`k1` IS NULL OR NOT `mapping_1`.`value` IS NULL
    )
    AND (
      `source_rows`.`k2` IS NULL OR NOT `mapping_2`.`value` IS NULL
    )
    AND (
      `source_rows`.`k3` IS NULL OR NOT `mapping_3`.`value` IS NULL
    )
), `judged` AS (
  SELECT
    `o0`,
    `o1`,
    `o2`,
    `o3`,
    `o4`,
    CASE WHEN COUNT(*) OVER (PARTITION BY `o0`, `o1`, `o2`, `o3`) < 2 THEN 1 ELSE 0 END AS `left_out`
  FROM `generalized`
), `released` AS (
  SELECT
    `o0` AS `o0`,
    `o1` AS `o1`,
    `o2` AS `o2`,
    `o3` AS `o3`,
    `o4` AS `o4`
  FROM `judged`
  WHERE
    `left_out` = 0
)
SELECT
  `o0` AS `Home town`,
  `o1` AS `age`,
  `o2` AS `born`,
  `o3` AS `score`,
  `o4` AS `s`
FROM `released`;
