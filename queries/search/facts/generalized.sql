-- Answers: what the facts of a table become at levels of their columns, and what is lost by it, the mean of the
-- columns.
-- Reads: leaves, the facts as they are (leaf, fact_code); fact_ancestors, what each value of a column becomes
-- (leaf_code, code, loss).
-- Takes: fact_code, of each column the name of its code in leaves; $first, how many facts other tables have before it;
-- $columns, how many columns there are.
-- Gives: rows (leaf, fact, loss in millionths), facts numbered behind $first.
SELECT
    leaves.leaf,
    CAST($first AS BIGINT) + dense_rank() OVER (ORDER BY [LIST_OF(CAST(fact_ancestors.code AS BIGINT))]) AS fact,
    SUM_OF(fact_ancestors.loss) // CAST($columns AS BIGINT) AS loss
FROM leaves
JOIN fact_ancestors ON fact_ancestors.leaf_code = leaves.fact_code
