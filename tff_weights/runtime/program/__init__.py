"""TFF computations inside this program: an interpreter over the program's own TensorFlow."""
