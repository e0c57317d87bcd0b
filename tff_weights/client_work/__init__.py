"""What clients do in a round: local training, and the report that is asked for."""
