-- Answers: the labels that tuples may take: those that prices were improved by, and the classes that there were.
-- Reads: active, these labels with their tuples (label, cell, cost); labelled, the tuples of each label (label, cell,
-- cost).
-- Takes: nothing.
-- Gives: the table label_pairs (label, cell, cost).
CREATE OR REPLACE TEMP TABLE label_pairs AS
SELECT label, cell, cost
FROM active
UNION ALL
SELECT label, cell, cost
FROM labelled
