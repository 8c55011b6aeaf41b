-- Answers: what the released classes of a lattice node show of quasi-identifiers that are aggregated.
-- Reads: node_classes, the classes (part, key_code); value_labels, of each such column what classes show (part, label).
-- Takes: key_code, the codes that tell classes apart; value_name, what a column is called.
-- Gives: the table class_values (key_code, value_name).
CREATE OR REPLACE TEMP TABLE kanon.class_values AS
SELECT node_classes.key_code, value_labels.label AS value_name
FROM node_classes
JOIN value_labels ON value_labels.part = node_classes.part
