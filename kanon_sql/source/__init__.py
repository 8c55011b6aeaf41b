"""The source: where the rows are, what its columns are called, and how the engine reads them."""
