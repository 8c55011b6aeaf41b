-- How many different labels one dimension has in the release.
SELECT count(DISTINCT label) AS labels
FROM labels
