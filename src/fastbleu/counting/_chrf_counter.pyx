"""Count the n-grams of characters and words for chrF: turn columns of text into one row per hypothesis.

A row has three counts for each order: n-grams of the hypothesis, n-grams of the reference, and matches. The orders of
characters precede those of words. If a segment has several references, the row is that of the reference with the
highest chrF. The counts equal sacreBLEU's. For example, if the reference has no n-grams of an order, the hypothesis'
count of this order is 0, even if the hypothesis has such n-grams.
"""

from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF, PyObject
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from fastbleu._native._hashing cimport SEEDS, fb_seeds, slots_for
from fastbleu._native.atomics cimport fb_put, fb_take
from fastbleu._native.memory cimport allocated_bytes, clear, release, release_all, reserve, reserve_cleared
from fastbleu._native.signals cimport STEPS_PER_CHECK, check_after, check_signals, next_check
from fastbleu.counting._segment cimport SegmentReferences, no_reference
from fastbleu.inputs._column cimport NO_INDEX, Column, IdColumn, Int64Buffer, View
from fastbleu.inputs._text cimport TextColumn
from fastbleu.tokenizers._tokenize cimport (
    ARENA_MARGIN,
    TOKENIZE_CHAR,
    TOKENIZE_CHRF_WORDS,
    TOKENIZE_EVERY_CHAR,
    Spans,
    free_spans,
    reset_arena,
    tokenize_text,
)

cdef extern from "counting/chrf_matching.h" nogil:
    const size_t FB_CHRF_MAX_WORDS
    const size_t FB_CHRF_MAX_ORDERS
    const size_t FB_CHRF_ARRAY_LIMIT
    ctypedef struct fb_chrf_entry:
        uint32_t stamp
    ctypedef struct fb_chrf_word:
        uint32_t stamp
    size_t fb_match_sets(
        const uint32_t* hypothesis, size_t length, const uint64_t* sets, size_t words, size_t orders, uint64_t* space,
        size_t depth, int64_t* matches)
    size_t fb_chrf_number_characters(
        const uint8_t** text, const uint8_t* end, bint whitespace, uint32_t* by_code_point, fb_chrf_entry* table,
        size_t mask, uint32_t stamp, fb_seeds seeds, bint is_reference, uint32_t* last, uint32_t* out)
    uint32_t fb_chrf_number_word(
        fb_chrf_word* words, size_t mask, uint32_t stamp, fb_seeds seeds, const uint8_t* start, size_t length,
        uint32_t fresh)
    uint32_t fb_chrf_count_ngrams(
        const uint32_t* reference, size_t start, size_t stop, size_t n, uint32_t* classes, fb_chrf_entry* table,
        size_t mask, uint32_t stamp, fb_seeds seeds, uint32_t* counts, uint32_t last)
    int64_t fb_chrf_match_ngrams(
        const uint32_t* hypothesis, size_t start, size_t stop, size_t n, uint32_t* classes, fb_chrf_entry* table,
        size_t mask, uint32_t stamp, fb_seeds seeds, uint32_t* counts)

cdef extern from "counting/chrf_score.h" nogil:
    double fb_chrf_score(const double* row, size_t orders, double factor, bint eps_smoothing)

cdef enum:
    BITS = 64                    # The number of positions in a word of a set.
    SLOTS_PER_SYMBOL = 4         # The minimum number of slots per symbol in the hash tables.
    MAX_IDLE_BYTES = 1 << 20     # Larger memory is freed after a call instead of being reused.


cdef struct Memory:
    # The memory for matching n-grams of symbols. The symbols are either characters or words.
    # Buffers (memory.pxd).
    uint32_t* numbers            # The numbers of the hypothesis' symbols; 0 for those that the reference does not have.
    uint32_t* classes            # The classes of the hypothesis' n-grams.
    uint32_t* reference          # The numbers of the reference's symbols.
    uint32_t* reference_classes  # The classes of the reference's n-grams.
    uint32_t* counts             # [class]: the count in the reference.
    uint32_t* by_code_point      # [2 * code point]: a stamp, and after it the number of the character.
    fb_chrf_entry* table         # A hash table of the other characters, or of the n-grams of the current order.
    fb_chrf_word* words          # A hash table of the reference's words.
    uint64_t* sets               # The position set of each symbol, by number.
    uint64_t* space              # The working memory of fb_match_sets.
    int64_t* matches             # The number of matches of each order.
    int64_t* current_counts      # The row for the current reference.
    double* current_row          # The row for the current reference as floats.
    # End of the buffers. The fields below need not be freed, except `spans`.
    size_t mask                  # The number of slots of each hash table, minus 1.
    uint32_t stamp               # The stamp of valid entries in `by_code_point`, `table` and `words`.
    const uint8_t* read          # The text of the reference whose sets are in `sets`, during a call; or NULL.
    size_t read_bytes            # The size of the text at `read` in bytes.
    size_t length                # The number of symbols of the current reference.
    size_t set_words             # The number of words per position set; 0 if the reference is matched by classes.
    Spans spans                  # The spans of words.


cdef int match_sets(Memory* memory, size_t length, size_t orders) except -1 nogil:
    """Match a hypothesis of `length` symbols by sets of positions. Add the matches of each order to memory.matches."""
    cdef size_t start, depth = 0
    memset(memory.space + (orders + 1) * memory.set_words, 0, orders * memory.set_words * sizeof(uint64_t))
    for start from 0 <= start < length by STEPS_PER_CHECK:
        check_signals(start)
        depth = fb_match_sets(
            memory.numbers + start, min(length - start, <size_t>STEPS_PER_CHECK), memory.sets, memory.set_words, orders,
            memory.space, depth, memory.matches)
    return 0


cdef int match_classes(Memory* memory, size_t length, size_t orders) except -1 nogil:
    """Match a hypothesis of `length` symbols by classes of n-grams. Add the matches of each order to memory.matches."""
    cdef size_t n, start
    cdef uint32_t last
    reserve(<void**>&memory.classes, length + 1, sizeof(uint32_t))
    reserve(<void**>&memory.reference_classes, memory.length + 1, sizeof(uint32_t))
    reserve(<void**>&memory.counts, memory.length + 1, sizeof(uint32_t))
    memcpy(memory.classes, memory.numbers, length * sizeof(uint32_t))
    memcpy(memory.reference_classes, memory.reference, memory.length * sizeof(uint32_t))
    for n in range(1, min(orders, memory.length, length) + 1):
        memory.stamp += 1
        memset(memory.counts, 0, (memory.length + 1) * sizeof(uint32_t))
        last = 0
        for start from 0 <= start < memory.length - n + 1 by STEPS_PER_CHECK:
            check_signals(start)
            last = fb_chrf_count_ngrams(
                memory.reference, start, next_check(start, memory.length - n + 1), n, memory.reference_classes,
                memory.table, memory.mask, memory.stamp, SEEDS, memory.counts, last)
        for start from 0 <= start < length - n + 1 by STEPS_PER_CHECK:
            check_signals(start)
            memory.matches[n - 1] += fb_chrf_match_ngrams(
                memory.numbers, start, next_check(start, length - n + 1), n, memory.classes, memory.table, memory.mask,
                memory.stamp, SEEDS, memory.counts)
    return 0


cdef class MemoryPair:
    """The memory of one call as a Python object: memory[0] is for characters, memory[1] for words."""

    cdef Memory[2] memory

    def __cinit__(self):
        memset(self.memory, 0, sizeof(self.memory))

    def __dealloc__(self):
        cdef int k
        for k in range(2):
            release_all(<void**>&self.memory[k], <void**>&self.memory[k].mask, 13)
            free_spans(&self.memory[k].spans)

    cdef size_t nbytes(self) noexcept:
        """Return the capacity of all buffers in bytes."""
        cdef size_t bytes = 0
        cdef int k
        for k in range(2):
            bytes += allocated_bytes(<void**>&self.memory[k], <void**>&self.memory[k].mask)
            bytes += allocated_bytes(<void**>&self.memory[k].spans, <void**>&self.memory[k].spans.arena_used)
        return bytes


cdef class ChrfCounter:
    """Counter of n-grams of characters and words.

    Args:
        char_order: The largest order of n-grams of characters, >= 0.
        word_order: The largest order of n-grams of words, >= 0; must be > 0 if char_order is 0.
        whitespace: Whether white space characters are counted.
        factor: The square of beta. It is used in the score by which one of several references is chosen.
        eps_smoothing: Whether this score is the mean of the F-scores of all orders, each at least 1e-16; otherwise the
            score is computed from the mean precision and recall.

    Attributes:
        width: The length of a row, 3 * (char_order + word_order).
        tokenizer: The number of the tokenizer that splits text into characters. `rerank` uses it.
    """

    cdef readonly Py_ssize_t char_order, word_order, width
    cdef readonly bint whitespace, eps_smoothing
    cdef readonly int tokenizer
    cdef readonly double factor
    cdef void* idle              # A MemoryPair that no call is using; or NULL.

    def __dealloc__(self):
        Py_XDECREF(<PyObject*>fb_take(&self.idle))

    def __init__(
        self, Py_ssize_t char_order, Py_ssize_t word_order, bint whitespace, double factor, bint eps_smoothing
    ):
        self.char_order, self.word_order, self.whitespace = char_order, word_order, whitespace
        self.factor, self.eps_smoothing = factor, eps_smoothing
        self.width = 3 * (char_order + word_order)
        self.tokenizer = TOKENIZE_EVERY_CHAR if whitespace else TOKENIZE_CHAR

    cdef MemoryPair borrow(self):
        """Return memory for exclusive use by the caller: that in `idle` if there is any, otherwise new memory."""
        cdef void* taken = fb_take(&self.idle)
        cdef MemoryPair memory_pair
        if taken == NULL:
            return MemoryPair()
        memory_pair = <MemoryPair>taken
        Py_DECREF(memory_pair)  # The reference that `idle` held.
        return memory_pair

    cdef void give_back(self, MemoryPair memory_pair):
        """Store memory for later calls, unless a long segment has made it larger than MAX_IDLE_BYTES."""
        if memory_pair.nbytes() > MAX_IDLE_BYTES:
            return
        Py_INCREF(memory_pair)
        if not fb_put(&self.idle, <void*>memory_pair):
            Py_DECREF(memory_pair)

    def __reduce__(self):
        return ChrfCounter, (self.char_order, self.word_order, self.whitespace, self.factor, self.eps_smoothing)

    def count(
        self, Column hypotheses not None, list references not None, Py_ssize_t first=0, rows=None,
        Py_ssize_t group_size=1, ranges=None,
    ):
        """Count the matches of segments with their references. `NgramCounter.count` has the same parameters.

        Args:
            hypotheses: A column of n segments of text.
            references: One column of text for each stream; or a single column with all references, in which those of a
                segment are consecutive.
            first: The number of the first segment in error messages.
            rows: None; or an int64 array [n, width], which receives the rows.
            group_size: Must be 1, since chrF counts only one hypothesis per segment.
            ranges: None for streams. For a single column, two arrays int64 [n]: the index of each segment's first
                reference, and one after the index of its last reference.

        Returns:
            The sum of the rows as a list of `width` int; 0, since chrF does not need the number of hypotheses that end
            in " ."; and the number of references per segment: -1 if segments differ in it, 0 if there are no segments.

        Raises:
            TypeError: A column has ids, or `group_size` is not 1.
            ValueError: A segment has no reference, a column or array has the wrong length, or a range is invalid.
        """
        cdef Py_ssize_t i, k, present, n = hypotheses.length, missing = NO_INDEX, number = 0
        cdef SegmentReferences segment_references = SegmentReferences(self.tokenizer, 1, 0, group_size)
        cdef Int64Buffer row_buffer = None
        cdef int64_t* out = NULL
        cdef int64_t* row
        cdef int64_t* totals = NULL
        cdef list sums = []
        cdef MemoryPair memory_pair
        for column in references:
            if group_size != 1 or isinstance(hypotheses, IdColumn) or isinstance(column, IdColumn):
                raise TypeError("chrF counts text, one hypothesis for each segment")
        segment_references.set_columns(references, ranges)
        segment_references.set_hypotheses(n, 0)
        if rows is not None:
            row_buffer = Int64Buffer(rows, "rows", 2, True)
            if row_buffer.rows != n or row_buffer.columns != self.width:
                raise ValueError(f"rows must have the shape [{n}, {self.width}]")
            out = row_buffer.data
        memory_pair = self.borrow()
        memory_pair.memory[0].read = memory_pair.memory[1].read = NULL
        try:
            reserve(<void**>&totals, 2 * <size_t>self.width, sizeof(int64_t))
            memset(totals, 0, 2 * <size_t>self.width * sizeof(int64_t))
            with nogil:
                for i in range(n):
                    row = out + i * self.width if out != NULL else totals + self.width
                    present = self.count_segment(memory_pair.memory, &hypotheses.view, segment_references, i, row)
                    if present == 0:
                        missing = i
                        break
                    number = present if i == 0 or present == number else -1
                    for k in range(self.width):
                        totals[k] += row[k]
            if missing != NO_INDEX:
                raise no_reference(first + missing)
            for k in range(self.width):
                sums.append(totals[k])
            return sums, 0, number
        finally:
            self.give_back(memory_pair)
            release(<void**>&totals)

    def count_one(self, hypothesis, references not None, bint lowercase=False):
        """Count a single segment of text. The results are those of `count`.

        Args:
            hypothesis: A str.
            references: A sequence of str, in which None represents a missing reference.
            lowercase: Apply str.lower() to each str first.

        Raises:
            TypeError: The hypothesis is not a str, or a reference is neither a str nor None.
            ValueError: There is no reference.
        """
        cdef tuple texts = tuple(references)
        cdef TextColumn column = TextColumn()
        cdef list columns = []
        cdef Py_ssize_t s
        column.reserve_segments(1)
        column.append(hypothesis, "hypothesis", NO_INDEX, lowercase, False)
        column.finish()
        hypotheses = column
        for s in range(len(texts)):
            column = TextColumn()
            column.reserve_segments(1)
            column.append(texts[s], "references", s, lowercase, True)
            column.finish()
            columns.append(column)
        return self.count(hypotheses, columns)

    cdef Py_ssize_t count_segment(
        self, Memory* memory, const View* hypotheses, SegmentReferences references, Py_ssize_t i, int64_t* row
    ) except -1 nogil:
        """Write the row of segment i for the reference with the highest chrF; return the number of references.

        `memory` is an array of two: for characters and for words.
        """
        cdef int64_t position
        cdef size_t s, views = references.locate(i, &position)
        cdef Py_ssize_t k, number = 0
        cdef double best = -1.0, score
        cdef const View* view
        cdef int64_t* counts
        reserve(<void**>&memory.current_counts, <size_t>self.width, sizeof(int64_t))
        reserve(<void**>&memory.current_row, <size_t>self.width, sizeof(double))
        counts = memory.current_counts
        for s in range(views):
            view = &references.views[s]
            if view.missing != NULL and view.missing[position]:
                continue
            number += 1
            self.match_symbols(memory, False, <size_t>self.char_order, hypotheses, i, view, position, counts)
            self.match_symbols(
                memory + 1, True, <size_t>self.word_order, hypotheses, i, view, position, counts + 3 * self.char_order)
            for k in range(self.width):
                memory.current_row[k] = <double>counts[k]
            score = fb_chrf_score(memory.current_row, <size_t>(self.width // 3), self.factor, self.eps_smoothing)
            if score > best:
                best = score
                for k in range(self.width):
                    row[k] = counts[k]
        return number

    cdef int match_symbols(
        self, Memory* memory, bint words, size_t orders, const View* hypotheses, int64_t i, const View* references,
        int64_t position, int64_t* row
    ) except -1 nogil:
        """Match hypothesis i with one reference, and write 3 counts to `row` for each order of characters or words."""
        cdef size_t n, length, reference_length, bytes = <size_t>(hypotheses.ends[i] - hypotheses.starts[i])
        cdef size_t reference_bytes = <size_t>(references.ends[position] - references.starts[position])
        cdef const uint8_t* reference = references.data + references.starts[position]
        if orders == 0:
            return 0
        if memory.read != reference or memory.read_bytes != reference_bytes or memory.read == NULL:
            self.read_reference(memory, words, orders, reference, reference_bytes)
        reference_length = memory.length
        reserve(<void**>&memory.numbers, bytes + 1, sizeof(uint32_t))
        length = <size_t>self.number_symbols(
            memory, words, hypotheses.data + hypotheses.starts[i], bytes, memory.numbers, False)
        memset(memory.matches, 0, orders * sizeof(int64_t))
        if memory.set_words:
            match_sets(memory, length, orders)
        else:
            match_classes(memory, length, orders)
        for n in range(orders):
            row[3 * n + 1] = <int64_t>(reference_length - n) if reference_length > n else 0
            row[3 * n] = <int64_t>(length - n) if length > n and reference_length > n else 0
            row[3 * n + 2] = memory.matches[n]
        return 0

    cdef int read_reference(
        self, Memory* memory, bint words, size_t orders, const uint8_t* reference, size_t bytes
    ) except -1 nogil:
        """Number the symbols of a reference, and make their position sets if the reference is short."""
        cdef size_t j, set_words, symbols = 1
        cdef uint32_t number
        memory.read = NULL
        reserve(<void**>&memory.reference, bytes + 1, sizeof(uint32_t))
        reserve(<void**>&memory.matches, orders, sizeof(int64_t))
        self.reserve_tables(memory, words, bytes)
        self.next_stamp(memory)
        memory.length = <size_t>self.number_symbols(memory, words, reference, bytes, memory.reference, True)
        set_words = (memory.length + BITS - 1) // BITS
        memory.set_words = 0
        if not 0 < set_words <= FB_CHRF_MAX_WORDS or orders > FB_CHRF_MAX_ORDERS:
            return 0
        for j in range(memory.length):
            symbols = max(symbols, <size_t>memory.reference[j] + 1)
        reserve(<void**>&memory.sets, symbols * set_words, sizeof(uint64_t))
        reserve(<void**>&memory.space, (2 * orders + 1) * set_words, sizeof(uint64_t))
        memset(memory.sets, 0, symbols * set_words * sizeof(uint64_t))
        for j in range(memory.length):
            number = memory.reference[j]
            memory.sets[number * set_words + j // BITS] |= <uint64_t>1 << (j % BITS)
        memory.set_words = set_words
        # Let `match_symbols` reuse the sets for the next hypothesis. Without sets, it must read the reference again,
        # since matching by classes overwrites the table of characters.
        memory.read, memory.read_bytes = reference, bytes
        return 0

    cdef Py_ssize_t number_symbols(
        self, Memory* memory, bint words, const uint8_t* text, size_t bytes, uint32_t* out, bint is_reference
    ) except -1 nogil:
        """Write the numbers of a text's symbols to `out`; return the number of symbols."""
        cdef const uint8_t* end = text + bytes
        cdef size_t count = 0
        cdef uint32_t last = 0
        if words:
            return self.number_words(memory, text, bytes, out, is_reference)
        while text < end:
            count += fb_chrf_number_characters(
                &text, text + min(<size_t>(end - text), <size_t>STEPS_PER_CHECK), self.whitespace, memory.by_code_point,
                memory.table, memory.mask, memory.stamp, SEEDS, is_reference, &last, out + count)
            check_after(bytes)
        return <Py_ssize_t>count

    cdef int reserve_tables(self, Memory* memory, bint words, size_t symbols) except -1 nogil:
        """Enlarge the tables for the symbols of a reference. New memory is all zero, so its entries are invalid."""
        cdef size_t slots = slots_for(symbols + 1, SLOTS_PER_SYMBOL)
        reserve_cleared(<void**>&memory.table, slots, sizeof(fb_chrf_entry))
        if words:
            reserve_cleared(<void**>&memory.words, slots, sizeof(fb_chrf_word))
        else:
            reserve_cleared(<void**>&memory.by_code_point, 2 * FB_CHRF_ARRAY_LIMIT, sizeof(uint32_t))
        memory.mask = slots - 1
        return 0

    cdef void next_stamp(self, Memory* memory) noexcept nogil:
        """Use a new stamp, which makes all table entries invalid. `match_classes` adds 1 to it for each order."""
        if memory.stamp > <uint32_t>0xf0000000:
            # Clear all entries before the stamps overflow, and restart at 1.
            clear(memory.table)
            clear(memory.words)
            clear(memory.by_code_point)
            memory.stamp = 0
        memory.stamp += 1

    cdef Py_ssize_t number_words(
        self, Memory* memory, const uint8_t* text, size_t bytes, uint32_t* out, bint is_reference
    ) except -1 nogil:
        """Write the numbers of a text's words to `out`; return the number of words.

        If `is_reference`, each new word gets the next number. Otherwise, words that the reference does not have get 0.
        """
        cdef Py_ssize_t t, count
        cdef uint32_t last = 0
        cdef const uint32_t* starts
        reset_arena(&memory.spans, bytes + ARENA_MARGIN)
        # Pass the start of the text as the end of readable memory, so that the tokenizer copies the text and does not
        # read after its end. The spans are offsets, so they are valid for the text as well.
        count = tokenize_text(TOKENIZE_CHRF_WORDS, text, bytes, text, &memory.spans)
        starts = memory.spans.starts
        for t in range(count):
            check_signals(<size_t>t)
            out[t] = fb_chrf_number_word(
                memory.words, memory.mask, memory.stamp, SEEDS, text + starts[t],
                <size_t>(memory.spans.ends[t] - starts[t]), last + 1 if is_reference else 0)
            last = max(last, out[t])
        return count
