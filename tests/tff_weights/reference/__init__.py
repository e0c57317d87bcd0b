"""What the library is compared with: the papers' equations once more, in NumPy and float64.

Nothing of the library is used but the orders in which local training visits the examples.
"""
