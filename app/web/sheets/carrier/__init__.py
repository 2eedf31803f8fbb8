"""What the pages of carriers and of their traffic staff show: cases, charges, the record, the history in words."""
