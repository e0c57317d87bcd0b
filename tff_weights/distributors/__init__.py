"""What the server sends to the clients."""
