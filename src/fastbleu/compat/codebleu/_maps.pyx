"""The texts of CodeBERT's two maps, taken out quickly: from names to references, and from names to predictions."""

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_FindChar(
        object text, Py_UCS4 character, Py_ssize_t start, Py_ssize_t end, int direction) except -2


cdef inline bint is_plain(object text):
    """Return whether a value is a str in which mteval-v11 rewrites nothing before it tokenizes."""
    cdef Py_ssize_t length
    if type(text) is not str:
        return False
    length = len(<str>text)
    return (
        PyUnicode_FindChar(text, c"&", 0, length, 1) == -1
        and PyUnicode_FindChar(text, c"<", 0, length, 1) == -1
        and PyUnicode_FindChar(text, c"\n", 0, length, 1) == -1
    )


def plain_texts(list texts not None, rewrite not None):
    """Return the texts; `rewrite` makes those that are not a plain str.

    Example:
        >>> plain_texts(["x y", "&lt;", ["z"]], str)
        ['x y', '&lt;', "['z']"]
    """
    cdef list plain = []
    for text in texts:
        plain.append(text if is_plain(text) else rewrite(text))
    return plain


def single_pairs(dict references not None, dict predictions not None, rewrite not None):
    """Takes texts out of the two maps of a corpus in which each text has one reference.

    Args:
        references: For each name a list of one reference.
        predictions: For these names, and maybe others, a list that begins with the text to score.
        rewrite: Makes the str to tokenize; called for values that are not a plain str.

    Returns:
        The texts to score and their references, in the order of `references`; names that `predictions` lacks are left
        out. None if something is not a list, or a list has another length.

    Example:
        >>> single_pairs({"a": ["x y"], "b": ["&lt;"]}, {"a": ["x"], "b": ["z"]}, str.upper)
        (['x', 'z'], ['x y', '&LT;'])
        >>> single_pairs({"a": ["x", "y"]}, {"a": ["x"]}, str.upper)
    """
    cdef list texts = [], others = []
    for name, some in references.items():
        found = predictions.get(name)
        if found is None and name not in predictions:
            continue
        if type(some) is not list or type(found) is not list or len(<list>some) != 1 or not <list>found:
            return None
        text, other = (<list>found)[0], (<list>some)[0]
        texts.append(text if is_plain(text) else rewrite(text))
        others.append(other if is_plain(other) else rewrite(other))
    return texts, others
