"""Create and format score objects, faster than the `__init__` of `BLEUScore` or of sacreBLEU's class."""

from cpython.object cimport PyObject, PyTypeObject
from libc.math cimport floor, fma
from libc.stdint cimport int64_t
from libc.string cimport memcpy, strlen

cdef enum:
    MAX_ORDERS = 16
    MAX_DIGITS = 20
    MAX_CHARACTERS = 512         # Enough for the precisions, four other numbers and the words in between.

# The limits of the numbers that are formatted here. Larger numbers are formatted by Python.
cdef double MAX_FLOAT = 1e5
cdef int64_t MAX_TOKENS = <int64_t>1 << 53

cdef tuple NO_ARGUMENTS = ()


cdef void put_text(char** end, const char* text) noexcept:
    """Write a text at `end[0]`. Like every function `put_...`, advance `end[0]` past the written characters."""
    cdef size_t length = strlen(text)
    memcpy(end[0], text, length)
    end[0] += length


cdef void put_digits(char** end, int64_t number, int decimals) noexcept:
    """Write a whole number, with a decimal point before its last `decimals` digits."""
    cdef char[MAX_DIGITS] digits
    cdef int n = 0
    while number or n <= decimals:
        digits[n] = 48 + <char>(number % 10)
        number //= 10
        n += 1
    while n:
        if decimals and n == decimals:
            put_text(end, b".")
        n -= 1
        end[0][0] = digits[n]
        end[0] += 1


cdef bint put_float(char** end, object number, int decimals) except -1:
    """Write a float with 1 or 3 decimals, rounded as `format` does; return False if Python must format it.

    Rounding is exact: `fma` computes the rounding error of `value * scale`.
    """
    cdef double value, product, lost, above, scale = 10.0 if decimals == 1 else 1000.0
    cdef int64_t rounded
    if type(number) is not float:
        return False
    value = number
    if not 0.0 < value < MAX_FLOAT and not (value == 0.0 and 1.0 / value > 0.0):
        return False
    product = value * scale
    lost = fma(value, scale, -product)
    rounded = <int64_t>floor(product)
    above = (product - <double>rounded) - 0.5
    rounded += above > 0.0 or (above == 0.0 and (lost > 0.0 or (lost == 0.0 and rounded & 1)))
    put_digits(end, rounded, decimals)
    return True


cdef bint put_length(char** end, object length) except -1:
    """Write a length; return False if Python must format it."""
    if type(length) is not int or not 0 <= length < MAX_TOKENS:
        return False
    put_digits(end, length, 0)
    return True


def describe(precisions, bp, sys_len, ref_len):
    """Format precisions and lengths as sacreBLEU does.

    Args:
        precisions: The precisions, 0..100.
        bp: The brevity penalty.
        sys_len: The number of tokens in the hypotheses.
        ref_len: The number of tokens in the references.

    Returns:
        The precisions with one decimal each, joined by slashes; `sys_len` over `ref_len`, 0 if `ref_len` is 0; and the
        text that sacreBLEU prints after the score: the precisions, the brevity penalty, the ratio and the lengths.
    """
    cdef char[MAX_CHARACTERS] text
    cdef char* end = text
    cdef bint is_written = len(precisions) <= MAX_ORDERS
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
    """Create a `BLEUScore` with its score; its other attributes are computed on first use.

    Args:
        kind: `BLEUScore`, or a subclass of it.
        score: The score, 0..100.
        made_of: A `CompiledFormula`, and the row that its method `score_one` will be called with.
    """
    made = (<PyTypeObject*>kind).tp_new(kind, <PyObject*>NO_ARGUMENTS, NULL)
    made.score = score
    made._made_of = made_of
    made.signer = None
    return made


def make_sacrebleu_score(type kind, tuple values not None, sys_len, ref_len):
    """Create an object of sacreBLEU's class `BLEUScore`, with all attributes in its dictionary.

    Args:
        kind: sacreBLEU's class, or a subclass of it.
        values: The score, the lists of matched and of candidate n-grams, the precisions and the brevity penalty.
        sys_len: The number of tokens in the hypotheses.
        ref_len: The number of tokens in the references.
    """
    made = (<PyTypeObject*>kind).tp_new(kind, <PyObject*>NO_ARGUMENTS, NULL)
    made.__dict__ = attributes(values, sys_len, ref_len)
    return made


cpdef dict attributes(tuple values, sys_len, ref_len):
    """Return the attributes of sacreBLEU's `BLEUScore`, in the same order; arguments as for `make_sacrebleu_score`."""
    listed, ratio, verbose = describe(values[3], values[4], sys_len, ref_len)
    return {
        "name": "BLEU",
        "score": values[0],
        "_mean": -1.0,
        "_ci": -1.0,
        "_verbose": verbose,
        "bp": values[4],
        "counts": values[1],
        "totals": values[2],
        "sys_len": sys_len,
        "ref_len": ref_len,
        "precisions": values[3],
        "prec_str": listed,
        "ratio": ratio,
    }
