"""Score objects, for the compiled formula."""

cdef object make_score(type kind, double score, tuple made_of)
