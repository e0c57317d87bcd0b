"""What client work and aggregators share of a cohort: its table, its sum, its geometry."""
