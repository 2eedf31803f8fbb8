"""The clock of a demo, which visitors may send forward. Not there in any other installation."""
