"""What the server does with the aggregate."""
