-- Answers: which signatures match.
-- Reads: matches, the pairs of values that match (left_code, right_code); left_signatures and right_signatures, each
-- the signatures of values of one side (signature, code).
-- Takes: nothing.
-- Gives: the table signature_matches (left_signature, right_signature).
CREATE OR REPLACE TEMP TABLE signature_matches AS
SELECT DISTINCT left_signatures.signature AS left_signature, right_signatures.signature AS right_signature
FROM kanon.matches
JOIN left_signatures ON left_signatures.code = matches.left_code
JOIN right_signatures ON right_signatures.code = matches.right_code
