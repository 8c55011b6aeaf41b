"""SQL that others execute: what the dialects share, what each needs, and how a statement is written for one."""
