"""With this file pytest puts the folder on the path, with what its tests share."""
