"""How a server weighs its clients: pure functions of reports and history."""
