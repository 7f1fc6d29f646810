"""The audit log of doors on the network."""
