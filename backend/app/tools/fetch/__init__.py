"""The fetcher: the one way to evidence on the network."""
