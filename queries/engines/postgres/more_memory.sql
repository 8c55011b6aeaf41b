-- Answers: nothing; gives the session more memory where it has little. With less combinations are counted by sorting
--   all rows.
-- Reads: nothing but the settings.
-- Takes: nothing.
-- Gives: memory, the setting where it was changed; no row where it was enough.
SELECT set_config('work_mem', '128MB', false) AS memory
WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('128MB')
