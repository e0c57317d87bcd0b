"""Its place makes `reference`, the tests' independent restatement, importable from all of them."""
