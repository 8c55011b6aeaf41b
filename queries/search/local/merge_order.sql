-- The classes in the order in which they are joined with the tuples left over: those first that add least, a row.
CREATE OR REPLACE TEMP TABLE merge_order AS
SELECT
    part,
    row_number() OVER (ORDER BY ((size + left_size) * cost - size * old_cost) / size, part) AS place
FROM costed
