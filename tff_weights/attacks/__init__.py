"""Clients that do not play by the rules, to test defences with."""
