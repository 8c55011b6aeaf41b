-- The half labels above them.
CREATE OR REPLACE TEMP TABLE sample_half_above AS
SELECT half_above.*
FROM half_above
SEMI JOIN sample_rest ON sample_rest.this_tuple = half_above.tuple
