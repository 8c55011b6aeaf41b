-- The classes that tuples left over may join.
CREATE OR REPLACE TEMP TABLE joined AS
SELECT *
FROM members
