"""The numbers of the rules in _reference_length.pxd, for Python."""
