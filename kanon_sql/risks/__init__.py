"""How great the risk of re-identification is in a table as it stands, and after it was anonymized."""
