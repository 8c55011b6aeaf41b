-- Answers: the allowable cuts, those accepted under a preference of their own. The others still say along which
-- dimensions a part of a partition may be cut.
-- Reads: allowable_cuts, the cuts that leave k rows on both sides (part, dimension, low, high, left_rows, row_count,
-- width, gain); accepted_cuts, the cuts of which both sides satisfy all models (high, low, part, dimension).
-- Takes: nothing.
-- Gives: the table allowable_cuts (part, dimension, low, high, left_rows, row_count, width, gain, preference).
CREATE OR REPLACE TEMP TABLE allowable_cuts AS
SELECT
    allowable_cuts.part,
    allowable_cuts.dimension,
    allowable_cuts.low,
    allowable_cuts.high,
    allowable_cuts.left_rows,
    allowable_cuts.row_count,
    allowable_cuts.width,
    allowable_cuts.gain,
    CASE WHEN accepted_cuts.part IS NOT NULL THEN 9 ELSE 0 END AS preference
FROM allowable_cuts
LEFT JOIN accepted_cuts
    ON accepted_cuts.part = allowable_cuts.part
    AND accepted_cuts.dimension = allowable_cuts.dimension
    AND accepted_cuts.low = allowable_cuts.low
    AND accepted_cuts.high = allowable_cuts.high
