"""Sites that are read through their own interfaces, and what kind of source a site is."""
