-- The class that each waiting tuple makes dearer by least.
CREATE OR REPLACE TEMP TABLE join_offers AS
SELECT
    cell,
    any_value(row_count) AS row_count,
    min({'added': (size + row_count) * cost - size * old_cost, 'part': part, 'cost': cost}) AS best
FROM costed
GROUP BY cell
