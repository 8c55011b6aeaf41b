-- The combinations of one side from the start, for another link.
CREATE OR REPLACE TEMP TABLE groups AS
SELECT *
FROM kept_groups
