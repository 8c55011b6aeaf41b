"""The types of what commands print with --json: mypy checks every key that is read, and report/schema.py makes the JSON
Schemas of them. They are imported for checks alone, or where a schema is made: a run starts without them.
"""

# The type of each report that has a schema, by its module here and its name.
REPORTS = {
    "report": ("run", "RunReport"),
    "check": ("searched", "CheckReport"),
    "lattice": ("searched", "LatticeReport"),
    "sweep": ("searched", "SweepReport"),
    "risk": ("risk", "RiskReport"),
    "utility": ("utility", "UtilityReport"),
    "attack": ("attack", "AttackReport"),
    "link": ("link", "LinkReport"),
    "releases": ("link", "PairReport"),
}
