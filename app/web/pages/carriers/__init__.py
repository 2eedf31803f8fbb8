"""Carriers and their traffic staff: `browsing.py` shows, `registering.py` enters new records."""
