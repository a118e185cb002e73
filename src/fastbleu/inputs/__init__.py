"""What a user holds, turned into columns: one module per kind of input."""
