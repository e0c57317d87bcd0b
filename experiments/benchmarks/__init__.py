"""What is measured, and how."""
