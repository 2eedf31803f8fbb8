"""What only the page of a task shows beside its form: the law's text, and the record that a decision looks back on."""
