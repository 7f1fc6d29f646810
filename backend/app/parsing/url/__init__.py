"""URLs and addresses: judged by their text alone, before anything is sent."""
