"""Scores as objects, for the compiled formula."""

cpdef object make_score(type kind, tuple found, sys_len, ref_len)
