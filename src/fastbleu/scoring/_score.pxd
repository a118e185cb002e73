"""Declare the function by which the compiled formula creates score objects."""

cdef object make_score(type kind, double score, tuple made_of)
