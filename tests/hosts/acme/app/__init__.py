"""The chat backend of a bakery; its package is called `app`, as most are."""
