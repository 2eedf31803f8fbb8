"""The registry of the transport system: carriers, grants, staff, what each did and owes, values and calendar.

Every change is an act in the record's own stream. Small for now: what an infringement case looks up.
"""
