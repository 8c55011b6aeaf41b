"""Privacy models beyond k: what else every equivalence class must satisfy."""
