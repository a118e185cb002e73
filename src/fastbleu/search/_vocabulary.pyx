"""Texts as numbers of their tokens, by a vocabulary that grows with the texts of an index.

A token of a query that no text of the index has gets the number 0, which matches nothing.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastbleu._native._hashing cimport (
    SEEDS,
    fb_find_token,
    fb_hash_bytes,
    fb_home,
    fb_is_long,
    fb_key,
    fb_long_key,
    fb_long_length,
    slots_for,
)
from fastbleu._native.memory cimport grow, held_bytes, release_all, reserve_cleared
from fastbleu.counting._workspace cimport Workspace, check_signals, free_workspace, read_tokens
from fastbleu.inputs._column cimport Column, View
from fastbleu.tokenizers._tokenize cimport ARENA_MARGIN, TOKENIZE_IDS, reset_arena

cdef extern from "Python.h":
    const int PyBUF_READ
    object PyMemoryView_FromMemory(char* memory, Py_ssize_t size, int flags)

cdef extern from "_native/bits.h" nogil:
    void fb_prefetch(const void* address)

cdef enum:
    SLOTS_PER_TOKEN = 2
    BLOCK = 32                   # tokens that are looked up together
    BATCH = 1 << 14              # bytes of texts that are read before their tokens are looked up, about
    MOST_TOKENS = 0x7fffffff     # of the texts of one part, so that places have 32 bits


cdef class Vocabulary:
    """The distinct tokens of the texts of an index, numbered from 1 on.

    Args:
        keys: What `state` returned; None: there are no tokens yet.
        bytes_at: Likewise.
        long_bytes: Likewise.

    Raises:
        ValueError: They do not fit each other.
    """

    def __cinit__(self, bytes keys=None, bytes bytes_at=None, bytes long_bytes=None):
        cdef size_t number, length
        cdef fb_key key
        if keys is None:
            keys, bytes_at, long_bytes = bytes(sizeof(fb_key)), bytes(sizeof(uint64_t)), b""
        self.tokens = <size_t>len(keys) // sizeof(fb_key) - 1
        self.long_used = <size_t>len(long_bytes)
        if len(keys) == 0 or len(keys) % sizeof(fb_key) or len(bytes_at) * 2 != len(keys):
            raise ValueError("the keys of the vocabulary are damaged")
        grow(<void**>&self.keys, self.tokens + 1, sizeof(fb_key))
        grow(<void**>&self.bytes_at, self.tokens + 1, sizeof(uint64_t))
        grow(<void**>&self.long_bytes, self.long_used + 1, 1)
        memcpy(self.keys, PyBytes_AS_STRING(keys), <size_t>len(keys))
        memcpy(self.bytes_at, PyBytes_AS_STRING(bytes_at), <size_t>len(bytes_at))
        memcpy(self.long_bytes, PyBytes_AS_STRING(long_bytes), self.long_used)
        memset(self.keys, 0, sizeof(fb_key))
        # The key of a long token depends on the seeds of the process.
        for number in range(1, self.tokens + 1):
            key = self.keys[number]
            if fb_is_long(key):
                length = fb_long_length(key)
                if length > self.long_used or self.bytes_at[number] > self.long_used - length:
                    raise ValueError(f"token {number} of the vocabulary is damaged")
                self.keys[number] = fb_long_key(
                    fb_hash_bytes(self.long_bytes + self.bytes_at[number], length, SEEDS), length)
        self.make_slots(self.tokens)

    def __dealloc__(self):
        release_all(<void**>&self.slots, <void**>&self.tokens)

    @property
    def nbytes(self):
        """Return the bytes of memory that it takes."""
        return held_bytes(<void**>&self.slots, <void**>&self.tokens)

    def state(self):
        """Return keys, places of long tokens, and these tokens, as bytes."""
        return (
            PyBytes_FromStringAndSize(<char*>self.keys, (self.tokens + 1) * sizeof(fb_key)),
            PyBytes_FromStringAndSize(<char*>self.bytes_at, (self.tokens + 1) * sizeof(uint64_t)),
            PyBytes_FromStringAndSize(<char*>self.long_bytes, self.long_used),
        )

    cdef int make_slots(self, size_t tokens) except -1 nogil:
        """Makes a table with room for this many tokens."""
        cdef size_t slots = slots_for(tokens + 1, 2 * SLOTS_PER_TOKEN), number, slot
        cdef uint64_t address
        if not reserve_cleared(<void**>&self.slots, slots, sizeof(uint32_t)):
            memset(self.slots, 0, slots * sizeof(uint32_t))
        self.mask = slots - 1
        for number in range(1, self.tokens + 1):
            address = <uint64_t>(self.long_bytes + self.bytes_at[number])
            slot = fb_find_token(
                self.slots, sizeof(uint32_t), self.mask, self.keys, self.bytes_at, <uint64_t>self.long_bytes,
                fb_home(self.keys[number], self.mask, SEEDS), self.keys[number], &address)
            self.slots[slot] = <uint32_t>number
        return 0

    cdef uint32_t enter(self, fb_key key, const uint64_t* bytes) except? 0 nogil:
        """The number of a token, which becomes the next one where it is new."""
        cdef size_t length, slot = fb_find_token(
            self.slots, sizeof(uint32_t), self.mask, self.keys, self.bytes_at, <uint64_t>self.long_bytes,
            fb_home(key, self.mask, SEEDS), key, bytes)
        if self.slots[slot]:
            return self.slots[slot]
        self.tokens += 1
        grow(<void**>&self.keys, self.tokens + 1, sizeof(fb_key))
        grow(<void**>&self.bytes_at, self.tokens + 1, sizeof(uint64_t))
        self.keys[self.tokens] = key
        self.bytes_at[self.tokens] = 0
        if fb_is_long(key):
            length = fb_long_length(key)
            grow(<void**>&self.long_bytes, self.long_used + length + 1, 1)
            memcpy(self.long_bytes + self.long_used, <const void*>bytes[0], length)
            self.bytes_at[self.tokens] = self.long_used
            self.long_used += length
        self.slots[slot] = <uint32_t>self.tokens
        if SLOTS_PER_TOKEN * self.tokens > self.mask:
            self.make_slots(self.tokens)
        return <uint32_t>self.tokens

    cdef int find(self, Workspace* work, bint are_ids, bint grows, uint32_t* numbers) except -1 nogil:
        """Writes the numbers of the tokens that the workspace has read, and numbers new ones if the vocabulary grows.

        The look-ups of a block wait for memory together.
        """
        cdef size_t hashes[BLOCK]
        cdef size_t start = 0, stop, t
        while start < work.tokens:
            stop = min(work.tokens, start + <size_t>BLOCK)
            for t in range(start, stop):
                hashes[t - start] = fb_home(work.token_keys[t], <size_t>-1, SEEDS)
                fb_prefetch(&self.slots[hashes[t - start] & self.mask])
            for t in range(start, stop):
                fb_prefetch(&self.keys[self.slots[hashes[t - start] & self.mask]])
            for t in range(start, stop):
                numbers[t] = self.slots[fb_find_token(
                    self.slots, sizeof(uint32_t), self.mask, self.keys, self.bytes_at, <uint64_t>self.long_bytes,
                    hashes[t - start] & self.mask, work.token_keys[t], &work.token_bytes[t])]
            for t in range(start, stop):
                # Ids below 0 match nothing.
                if numbers[t] == 0 and grows and not (are_ids and <int64_t>work.token_keys[t].low < 0):
                    numbers[t] = self.enter(work.token_keys[t], &work.token_bytes[t])
            start = stop
        return 0


cdef class NumberedTexts:
    """Texts as numbers of their tokens.

    Attributes:
        texts: How many there are.
        tokens: How many they have together.
    """

    def __cinit__(self):
        memset(&self.work, 0, sizeof(Workspace))

    def __dealloc__(self):
        free_workspace(&self.work)
        release_all(<void**>&self.numbers, <void**>&self.texts)

    def append(self, Column column not None, int tokenizer, Vocabulary vocabulary not None, bint grows):
        """Appends the segments of a column, none of them absent.

        Args:
            column: Text, or ids.
            tokenizer: The kernel's number of a tokenizer, or IDS where the column holds ids; ids below 0 match nothing.
            vocabulary: The numbers of the tokens.
            grows: Whether it takes up tokens that it does not have.

        Raises:
            ValueError: All texts together have 2^31 tokens or more.
        """
        cdef size_t text = 0, stop, bytes, number = <size_t>column.length
        cdef const View* view = &column.view
        column.check()
        with nogil:
            grow(<void**>&self.lengths, self.texts + number + 1, sizeof(uint32_t))
            while text < number:
                stop, bytes = text, 0
                while stop < number and bytes < BATCH:
                    bytes += <size_t>(view.ends[stop] - view.starts[stop]) + ARENA_MARGIN
                    stop += 1
                self.work.tokens = 0
                if tokenizer != TOKENIZE_IDS:
                    reset_arena(&self.work.spans, bytes)
                while text < stop:
                    self.lengths[self.texts] = <uint32_t>read_tokens(&self.work, tokenizer, view, <int64_t>text)
                    self.texts += 1
                    text += 1
                if self.tokens + self.work.tokens > MOST_TOKENS:
                    with gil:
                        raise ValueError(f"the texts have more than {MOST_TOKENS} tokens together")
                grow(<void**>&self.numbers, self.tokens + self.work.tokens + 1, sizeof(uint32_t))
                vocabulary.find(&self.work, tokenizer == TOKENIZE_IDS, grows, self.numbers + self.tokens)
                self.tokens += self.work.tokens
                check_signals(self.texts << 8)

    def arrays(self):
        """Return the numbers of all tokens, the lengths of all texts, and their numbers: uint32 arrays.

        The first two are in the memory of this object, which must live as long as they do and stay as it is.
        """
        import numpy as np

        grow(<void**>&self.numbers, self.tokens + 1, sizeof(uint32_t))
        grow(<void**>&self.lengths, self.texts + 1, sizeof(uint32_t))
        return (
            np.frombuffer(PyMemoryView_FromMemory(
                <char*>self.numbers, self.tokens * sizeof(uint32_t), PyBUF_READ), np.uint32),
            np.frombuffer(PyMemoryView_FromMemory(
                <char*>self.lengths, self.texts * sizeof(uint32_t), PyBUF_READ), np.uint32),
            np.arange(self.texts, dtype=np.uint32),
        )
