"""Outside services, one pure file each: what they are asked, and what their answers say."""
