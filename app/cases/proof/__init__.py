"""What the journal proves: which entries stand, what follows from them, and whether the rows say the same."""
