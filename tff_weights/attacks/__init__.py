"""Clients that attack, to test defences with."""
