"""Papers: what lies in a folder to be read and printed, and the public's check of a printed document."""
