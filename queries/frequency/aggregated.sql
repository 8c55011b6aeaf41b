-- Answers: the values of a quasi-identifier of which classes show an aggregate, by their codes; missing ones have none.
-- Reads: domain, the distinct values of the column in their order (value, position, label); coded, the same values by
-- the codes of tuples (value, code_of_value).
-- Takes: code_of_value, the column of these codes; label_value, what a class of one value shows; number_value, what is
-- added of a value.
-- Gives: the table aggregated (code, place, number, label).
CREATE OR REPLACE TEMP TABLE aggregated AS
SELECT
    coded.code_of_value AS code,
    CAST(min(known.position) AS BIGINT) AS place,
    min(known.number) AS number,
    min(known.label) AS label
FROM coded
JOIN (SELECT value, position, label_value AS label, number_value AS number FROM domain WHERE position > 0) AS known
    ON known.value = coded.value
GROUP BY coded.code_of_value
