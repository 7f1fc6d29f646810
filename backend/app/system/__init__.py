"""Clock, ids, settings and stores: the machine below the core."""
