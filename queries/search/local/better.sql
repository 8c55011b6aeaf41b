-- The better way with the tuples left over is taken.
CREATE OR REPLACE TEMP TABLE members AS
SELECT *
FROM better
