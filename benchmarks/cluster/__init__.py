"""Rounds over Ray's actors beside rounds in the program: seconds, bytes, and a model of both."""
