"""The steps of checks that are neither tests nor commands, one file each: a check depends on its own step alone."""
