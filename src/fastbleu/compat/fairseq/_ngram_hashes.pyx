"""The hashes by which libbleu compares n-grams of token ids.

libbleu takes n-grams for equal whose hashes are. Its hash is FNV-1a of 64 bits over the bytes of the ids, lowest byte
first, but it widens each byte as a signed number, as compilers for x86-64 do. With that, short n-grams do share hashes:
of the bigrams of ids below 1,000 three in ten share theirs with another one, as (128, 0) does with (126, 254). To give
libbleu's counts is to hash as it does.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t, uint64_t

cdef enum:
    BYTES = 4                    # of an id

# http://www.isthe.com/chongo/tech/comp/fnv/
cdef uint64_t OFFSET_BASIS = 14695981039346656037ULL
cdef uint64_t PRIME = 1099511628211ULL


def ngram_hashes(list ids not None, int order):
    """The hashes of all n-grams of one segment.

    Args:
        ids: Its token ids, which fit into 32 bits.
        order: The largest n, >= 1.

    Returns:
        For each n of 1..order a list of the hashes as signed numbers, in the order of the n-grams.

    Raises:
        OverflowError: An id does not fit into 32 bits.

    Example:
        >>> first, second = ngram_hashes([128, 0], 2), ngram_hashes([126, 254], 2)
        >>> first[0] == second[0], first[1] == second[1]
        (False, True)
    """
    cdef Py_ssize_t i, length = len(ids)
    cdef int n, byte
    cdef uint64_t value
    cdef uint32_t token
    cdef list hashes = [[] for _ in range(order)]
    for i in range(length):
        value = OFFSET_BASIS
        for n in range(order):
            if i + n == length:
                break
            token = <uint32_t><int32_t>ids[i + n]
            for byte in range(BYTES):
                value ^= <uint64_t><int64_t><int8_t>(token >> (8 * byte) & 0xff)
                value *= PRIME
            (<list>hashes[n]).append(<int64_t>value)
    return hashes
