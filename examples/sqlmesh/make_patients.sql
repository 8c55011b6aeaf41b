-- 2,000 invented patients.
COPY (
    SELECT
        'patient ' || i AS name,
        CASE WHEN hash(i) % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
        CAST(20 + hash(i + 10000) % 60 AS INTEGER) AS age,
        '02' || CAST(130 + hash(i + 20000) % 20 AS VARCHAR) AS zip,
        ['flu', 'cold', 'asthma', 'none'][CAST(1 + hash(i + 30000) % 4 AS INTEGER)] AS diagnosis
    FROM range(2000) AS numbers(i)
) TO 'patients.parquet' (FORMAT parquet)
