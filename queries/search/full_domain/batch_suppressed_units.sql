-- Answers: the units of loss that the suppressed rows of each node of a batch would have had in each quasi-identifier.
-- Reads: classes, the statement that judges classes (see queries/privacy): node, word, size, violates; cost_costs, the
-- costs of a quasi-identifier's values: level, code, units.
-- Takes: node_levels, a list: of each node the number that packs its levels; cost_costs; cost_cost, what its sum is
-- called; cost_place and cost_levels, how far the level of that quasi-identifier is shifted there, and its bits;
-- cost_shift and cost_codes, the same of its code in word; the number k and the holes that classes asks for.
-- Gives: node, the sum of each quasi-identifier, of no meaning where the word holds no code; nothing of nodes where no
-- class violates.
SELECT
    violating.node,
    CAST(coalesce(sum(violating.size * CAST(cost_costs.units AS BIGINT)), 0) AS HUGEINT) AS cost_cost
FROM (
    SELECT
        node,
        list_extract(node_levels, node + 1) AS levels,
        word,
        size
    FROM classes
    WHERE violates
) AS violating
LEFT JOIN cost_costs
    ON cost_costs.level = ((violating.levels >> cost_place) & cost_levels)
    AND cost_costs.code = ((violating.word >> cost_shift) & cost_codes)
GROUP BY violating.node
