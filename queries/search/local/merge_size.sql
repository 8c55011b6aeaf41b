-- Answers: how many classes there are beside the tuples left over.
-- Reads: merge_order, the classes in the order in which they are joined.
-- Takes: nothing.
-- Gives: classes.
SELECT count(*) AS classes
FROM merge_order
