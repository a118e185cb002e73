"""Scores as objects, made at once: what `BLEUScore.__init__` and sacreBLEU's do attribute by attribute."""

from cpython.object cimport PyObject, PyTypeObject
from libc.math cimport floor, fma
from libc.stdint cimport int64_t
from libc.string cimport memcpy, strlen

cdef enum:
    MOST_ORDERS = 16
    MOST_DIGITS = 20
    ROOM = 512                   # for the precisions, four other numbers and the words between them

# From here on numbers are left to Python.
cdef double MOST = 1e5
cdef int64_t MOST_TOKENS = <int64_t>1 << 53

cdef tuple NO_ARGUMENTS = ()


cdef void put_text(char** at, const char* text) noexcept:
    cdef size_t length = strlen(text)
    memcpy(at[0], text, length)
    at[0] += length


cdef void put_digits(char** at, int64_t number, int decimals) noexcept:
    """Writes a whole number, with a point before the last `decimals` digits."""
    cdef char[MOST_DIGITS] digits
    cdef int n = 0
    while number or n <= decimals:
        digits[n] = 48 + <char>(number % 10)
        number //= 10
        n += 1
    while n:
        if decimals and n == decimals:
            put_text(at, b".")
        n -= 1
        at[0][0] = digits[n]
        at[0] += 1


cdef bint put_float(char** at, object number, int decimals) except -1:
    """Writes a float with this many decimals, rounded as `format` does; returns whether it could.

    The nearest integer of a product is found exactly: `fma` gives what its rounding has lost.
    """
    cdef double value, product, lost, above, scale = 10.0 if decimals == 1 else 1000.0
    cdef int64_t rounded
    if type(number) is not float:
        return False
    value = number
    if not 0.0 < value < MOST and not (value == 0.0 and 1.0 / value > 0.0):
        return False
    product = value * scale
    lost = fma(value, scale, -product)
    rounded = <int64_t>floor(product)
    above = (product - <double>rounded) - 0.5
    rounded += above > 0.0 or (above == 0.0 and (lost > 0.0 or (lost == 0.0 and rounded & 1)))
    put_digits(at, rounded, decimals)
    return True


cdef bint put_length(char** at, object length) except -1:
    if type(length) is not int or not 0 <= length < MOST_TOKENS:
        return False
    put_digits(at, length, 0)
    return True


def describe(precisions, bp, sys_len, ref_len):
    """Writes precisions and lengths out as sacreBLEU does.

    Returns:
        The precisions with one decimal each; the ratio of the lengths, 0 where the second is 0; and both with the
        brevity penalty and the lengths.
    """
    cdef char[ROOM] text
    cdef char* end = text
    cdef bint is_written = len(precisions) <= MOST_ORDERS
    ratio = sys_len / ref_len if ref_len else 0
    for precision in precisions:
        if end != text:
            put_text(&end, b"/")
        is_written = is_written and put_float(&end, precision, 1)
        if not is_written:
            break
    if is_written:
        listed = text[:end - text].decode("ascii")
        put_text(&end, b" (BP = ")
        is_written = put_float(&end, bp, 3)
        put_text(&end, b" ratio = ")
        is_written = is_written and put_float(&end, ratio, 3)
        put_text(&end, b" hyp_len = ")
        is_written = is_written and put_length(&end, sys_len)
        put_text(&end, b" ref_len = ")
        is_written = is_written and put_length(&end, ref_len)
        put_text(&end, b")")
    if is_written:
        return listed, ratio, text[:end - text].decode("ascii")
    parts = []
    for precision in precisions:
        parts.append(f"{precision:.1f}")
    listed = "/".join(parts)
    lengths = f"hyp_len = {sys_len:d} ref_len = {ref_len:d}"
    return listed, ratio, f"{listed} (BP = {bp:.3f} ratio = {ratio:.3f} {lengths})"


cdef object make_score(type kind, double score, tuple made_of):
    """Makes a `BLEUScore`, whose other attributes are made when they are asked for.

    Args:
        kind: The class.
        score: The score.
        made_of: What has the method `score_one`, and its argument, a row.
    """
    made = (<PyTypeObject*>kind).tp_new(kind, <PyObject*>NO_ARGUMENTS, NULL)
    made.score = score
    made._made_of = made_of
    made.signer = None
    return made


def make_peers_score(type kind, tuple found not None, sys_len, ref_len):
    """Make sacreBLEU's `BLEUScore`, whose attributes are all in its dictionary.

    Args:
        kind: The class.
        found: The score, the matched and the candidate n-grams, the precisions and the brevity penalty.
        sys_len: Tokens in the hypotheses.
        ref_len: Tokens in the references.
    """
    made = (<PyTypeObject*>kind).tp_new(kind, <PyObject*>NO_ARGUMENTS, NULL)
    made.__dict__ = attributes(found, sys_len, ref_len)
    return made


cpdef dict attributes(tuple found, sys_len, ref_len):
    """The attributes of sacreBLEU's `BLEUScore`, in its order; arguments as of `make_peers_score`."""
    listed, ratio, verbose = describe(found[3], found[4], sys_len, ref_len)
    return {
        "name": "BLEU",
        "score": found[0],
        "_mean": -1.0,
        "_ci": -1.0,
        "_verbose": verbose,
        "bp": found[4],
        "counts": found[1],
        "totals": found[2],
        "sys_len": sys_len,
        "ref_len": ref_len,
        "precisions": found[3],
        "prec_str": listed,
        "ratio": ratio,
    }
