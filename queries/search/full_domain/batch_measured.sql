-- Answers: the equivalence classes of each node of a batch, and the units of loss that its suppressed rows would have
-- had in each quasi-identifier, of classes that are made once for both.
-- Reads: classes, the statement that judges classes (see queries/privacy): node, word, size, violates; counted, the
-- statement that counts classes, and lost, the one that sums units.
-- Takes: cost_cost, what the sum of a quasi-identifier is called; the holes that lost and classes ask for, which read
-- judged in place of classes.
-- Gives: node, suppressed, released_classes, smallest, largest, released_squares, all_classes, all_squares, the sum of
-- each quasi-identifier, 0 where no class violates.
WITH judged AS MATERIALIZED (
    SELECT node, word, size, violates
    FROM classes
)

SELECT
    counted.node,
    counted.suppressed,
    counted.released_classes,
    counted.smallest,
    counted.largest,
    counted.released_squares,
    counted.all_classes,
    counted.all_squares,
    coalesce(lost.cost_cost, 0) AS cost_cost
FROM counted
LEFT JOIN lost ON lost.node = counted.node
