"""Whether an installation is well: `soundness.py` examines a database from end to end, `health.py` looks at it now."""
