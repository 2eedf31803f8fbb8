"""The pages, a file per thing that people look at or do. Each has its routes; `session.py` says who asks."""
