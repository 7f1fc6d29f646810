"""What a check or a proof depends on: its files, closed over imports, and one digest over them."""
