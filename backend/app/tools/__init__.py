<<<<<<< HEAD
"""Everything that touches the outside."""
=======
"""Everything that touches the outside; only the adapter opens this room."""
>>>>>>> ledger
