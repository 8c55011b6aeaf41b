-- Answers: how large each class is, beside its values; only of the classes that hold k: whatever else is asked for, the
-- others violate, and they are many where classes are small.
-- Reads: class_counts (the classes' key, value, row_count), class_sizes (the classes' key, size, violates: by k).
-- Takes: nothing.
-- Gives: the rows of class_counts with size, all rows of the class.
SELECT class_counts.key_code, class_counts.value, class_counts.row_count, class_sizes.size
FROM class_counts
JOIN class_sizes ON class_sizes.key_code = class_counts.key_code
WHERE NOT class_sizes.violates
