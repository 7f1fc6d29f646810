"""Tools in processes of their own: what blocks, spins or breaks there can be cut."""
