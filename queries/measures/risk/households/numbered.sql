-- Answers: the equivalence classes with a number for each, in no order.
-- Reads: class_list, the classes of the table (qi_name, row_count).
-- Takes: qi_name, of each quasi-identifier the column of its values.
-- Gives: the table numbered (id, qi_name, row_count).
CREATE OR REPLACE TEMP TABLE numbered AS
SELECT
    row_number() OVER () AS id,
    qi_name,
    row_count
FROM class_list
