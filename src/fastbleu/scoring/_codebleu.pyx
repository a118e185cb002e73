"""CodeBLEU's weighted recall of single tokens, compiled. The arithmetic is Python's, on the weights as they are."""


def weighted_tokens(dict counts not None, reference, weights):
    """Weighs the tokens of a reference, and those of them that a hypothesis has.

    Args:
        counts: How often the hypothesis has each of its tokens.
        reference: Tokens.
        weights: The weight of each token; one that is not there weighs 1. They count only if there are as many of them
            as there are different tokens in the reference.

    Returns:
        The weight of the tokens that match, clipped as n-grams are, and that of all tokens, at least 1. The tokens are
        added up in the order in which they first stand in the reference.

    Example:
        >>> weighted_tokens({"int": 1, "x": 2}, ["int", "x", ";"], {"int": 1, "x": 0.2, ";": 0.2})
        (1.2, 1.4)
    """
    cdef dict own = {}
    cdef Py_ssize_t count, found
    cdef bint are_weighted
    matched, total = 0, 0
    for token in reference:
        own[token] = own.get(token, 0) + 1
    are_weighted = len(weights) == len(own)
    for token, number in own.items():
        count = number
        found = min(count, <Py_ssize_t>counts.get(token, 0))
        if are_weighted:
            weight = weights[token] if token in weights else 1
            matched += found * weight
            total += count * weight
        else:
            matched += found
            total += count
    return matched, max(1, total)
