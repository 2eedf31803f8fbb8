"""The law as values: what a municipality's norm says and how its terms are counted.

Pure: no store, no clock, no network. Content comes in as bytes, instants come in as arguments, and the same
arguments always give the same date.
"""
