-- How many classes there are beside the tuples left over.
SELECT count(*) AS classes
FROM merge_order
