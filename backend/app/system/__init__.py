"""What the machine provides: clock, ids, settings and stores."""
