"""What HTTP says beside the body: fields, codings, freshness, robots.txt."""
