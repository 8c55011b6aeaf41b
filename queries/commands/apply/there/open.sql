-- Answers: the rows of the classes that are still open, of all releases, where another engine holds them.
-- Reads: counts, how often each row is in each release (release, class_key, row_key, sensitive_code, row_count);
-- open_keys, the classes that are open (class_key).
-- Takes: sensitive_code, of each sensitive column its name.
-- Gives: the columns of counts.
SELECT counts.release, counts.class_key, counts.row_key, counts.sensitive_code, counts.row_count
FROM counts
JOIN open_keys ON open_keys.class_key = counts.class_key
