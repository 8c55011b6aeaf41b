-- The labels that the sample took, in parts of rising loss.
CREATE OR REPLACE TEMP TABLE chosen AS
SELECT
    label,
    (label >> $label_shift) & $mask_a AS label_a,
    label & $mask_b AS label_b,
    ntile($parts) OVER (ORDER BY label) AS part
FROM (SELECT DISTINCT label FROM sample_taken) AS taken_labels
