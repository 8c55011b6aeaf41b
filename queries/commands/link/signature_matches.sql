-- Which signatures match.
CREATE OR REPLACE TEMP TABLE signature_matches AS
SELECT DISTINCT left_signatures.signature AS left_signature, right_signatures.signature AS right_signature
FROM matches
JOIN left_signatures ON left_signatures.code = matches.left_code
JOIN right_signatures ON right_signatures.code = matches.right_code
