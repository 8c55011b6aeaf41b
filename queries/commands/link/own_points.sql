-- Every value stands for itself: an exact text that values of both sides may share.
CREATE OR REPLACE TEMP TABLE points AS
SELECT code, bare AS point
FROM labels
WHERE bare IS NOT NULL
