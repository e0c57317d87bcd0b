"""Tables and figures of artifacts."""
