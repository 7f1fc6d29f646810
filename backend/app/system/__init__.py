"""The machine underneath: clock, ids, settings and stores."""
