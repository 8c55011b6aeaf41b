-- Losses as whole numbers, so that a loss and two half labels fit into one number.
CREATE OR REPLACE TEMP TABLE half_above AS
SELECT tuple, whole_label AS label, whole_cost AS cost
FROM half_above
