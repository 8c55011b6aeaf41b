"""What the columns of a source hold, found out inside the engine: their kinds, their counts, what they are."""
