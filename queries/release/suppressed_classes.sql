-- Answers: the equivalence classes of the chosen node that violate what is asked for, by their codes.
-- Reads: classes, the statement that judges classes (see queries/privacy): the codes, violates.
-- Takes: key_code, the codes that tell classes apart, and k, for which that statement asks.
-- Gives: the table suppressed_classes: the codes, is_suppressed, which is always TRUE.
CREATE OR REPLACE TEMP TABLE kanon.suppressed_classes AS
SELECT key_code, TRUE AS is_suppressed
FROM classes
WHERE violates
