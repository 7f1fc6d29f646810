"""Stores under the data folder: what is kept between two requests."""
