-- They are released under that label.
INSERT INTO taken
SELECT cell, label, row_count
FROM takers
