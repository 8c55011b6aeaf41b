-- Answers: the sums that the measures of risk are made of. A row of a class of f rows under which F persons fall has
-- the prosecutor risk 1/f and the journalist risk 1/F; the sum of f/F over the classes is the expected number of rows
-- that a marketer names right. The last four columns count what contradicts the population: classes that it lacks, and
-- classes of which it has fewer persons than the table rows.
-- Reads: risk_class_sizes, the size of each class (size, persons, class_count).
-- Takes: $threshold, the risk that is looked at.
-- Gives: row_total, class_total, smallest, largest, alone, rows_above, fewest_persons, person_total, named_right,
-- rows_above_by_persons, alone_in_population, absent_classes, absent_rows, outnumbered_classes, outnumbered_rows.
SELECT
    CAST(sum(size * class_count) AS BIGINT) AS row_total,
    CAST(sum(class_count) AS BIGINT) AS class_total,
    min(size) AS smallest,
    max(size) AS largest,
    CAST(sum(CASE WHEN size = 1 THEN class_count ELSE 0 END) AS BIGINT) AS alone,
    CAST(
        sum(CASE WHEN CAST(1 AS DOUBLE) / size > $threshold THEN size * class_count ELSE 0 END) AS BIGINT
    ) AS rows_above,
    min(persons) AS fewest_persons,
    CAST(sum(persons * class_count) AS BIGINT) AS person_total,
    sum(class_count * CAST(size AS DOUBLE) / persons) AS named_right,
    CAST(
        sum(CASE WHEN CAST(1 AS DOUBLE) / persons > $threshold THEN size * class_count ELSE 0 END) AS BIGINT
    ) AS rows_above_by_persons,
    CAST(sum(CASE WHEN persons = 1 THEN size * class_count ELSE 0 END) AS BIGINT) AS alone_in_population,
    CAST(sum(CASE WHEN persons IS NULL THEN class_count ELSE 0 END) AS BIGINT) AS absent_classes,
    CAST(sum(CASE WHEN persons IS NULL THEN size * class_count ELSE 0 END) AS BIGINT) AS absent_rows,
    CAST(sum(CASE WHEN persons < size THEN class_count ELSE 0 END) AS BIGINT) AS outnumbered_classes,
    CAST(sum(CASE WHEN persons < size THEN size * class_count ELSE 0 END) AS BIGINT) AS outnumbered_rows
FROM kanon.risk_class_sizes
