"""One segment: its references indexed, its hypothesis matched against them.

The distinct tokens of a segment's references are numbered from 1 on; 0 means "in no reference". The n-grams are then
matched with sets of positions up to order 4 if references are short, and by classes otherwise. Both are exact.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from fastbleu._native.memory cimport clear, release_all, reserve
from fastbleu.counting._match_by_classes cimport match_classes
from fastbleu.counting._numbering cimport (
    find_numbers_by_id,
    forget_ids,
    list_known_ids,
    list_known_tokens,
    number_ids,
    number_tokens,
)
from fastbleu.counting._match_by_positions cimport (
    MOST_ORDERS,
    WORD,
    find_numbers,
    mark_position_sets,
    match_position_sets,
    number_ids_with_positions,
    number_with_positions,
)
from fastbleu.counting._reference_index cimport ReferenceIndex
from fastbleu.counting._reference_length cimport distinct_reference_length, reference_length
from fastbleu.counting._match_one_short cimport longest_short
from fastbleu.counting._workspace cimport (
    CLASSES,
    POSITION_SETS,
    SETS_BY_ID,
    WIDE_SETS,
    Index,
    NgramTable,
    Workspace,
    read_tokens,
    reserve_numbers,
)
from fastbleu.inputs._column cimport Int64Buffer, View
from fastbleu.tokenizers._tokenize cimport ARENA_MARGIN, TOKENIZE_IDS, reset_arena

from fastbleu.errors import ArgumentValueError

cdef enum:
    MOST_WORDS = 16          # of a position set: further references are cheaper matched by classes
    MOST_TOKENS = 1 << 30    # in the references of a segment together, and in a hypothesis: places have 32 bits
    SLOTS_PER_TOKEN = 8      # for an index that is used once
    SAMPLES_FOR_TABLES = 4   # with this many, tables that are only read cost less than tables for each hypothesis
    MOST_IDS = 1 << 18       # that have a place in an array by id: 2 MB, and more than most vocabularies


cdef inline bint is_absent(const View* view, int64_t segment) noexcept nogil:
    return view.absent != NULL and view.absent[segment]


cdef int read_references(
    Workspace* work, int tokenizer, const View* references, size_t streams, int64_t segment, size_t ahead,
    size_t slots_per_token, size_t n_ids, int order, Index* index,
) except -1 nogil:
    """Numbers the tokens of a segment's references; index.references is 0 where there is none.

    `ahead` is the largest number of bytes that a copy of the hypothesis' text may take. All ids are below `n_ids`, or
    may be any where it is 0.
    """
    cdef size_t stream, bytes = ahead + ARENA_MARGIN, with_tokens = 0, tokens = 0, longest = 0
    cdef Py_ssize_t count
    memset(index, 0, sizeof(Index))
    reserve(<void**>&work.lengths, streams, sizeof(uint32_t))
    index.lengths = work.lengths
    if tokenizer != TOKENIZE_IDS:
        for stream in range(streams):
            bytes += <size_t>(references[stream].ends[segment] - references[stream].starts[segment]) + ARENA_MARGIN
        reset_arena(&work.spans, bytes)
    work.tokens = 0
    for stream in range(streams):
        if is_absent(&references[stream], segment):
            continue
        if n_ids:
            count = <Py_ssize_t>(references[stream].ends[segment] - references[stream].starts[segment])
        else:
            count = read_tokens(work, tokenizer, &references[stream], segment)
        index.lengths[index.references] = <uint32_t>count
        index.references += 1
        with_tokens += count != 0
        longest = max(longest, <size_t>count)
        tokens += <size_t>count
    if tokens > MOST_TOKENS:
        with gil:
            raise ValueError(f"the references of one segment have {tokens} tokens together, "
                             f"more than the {MOST_TOKENS} that can be counted")
    index.n_lengths = index.references
    if index.references == 0:
        return 0
    if longest <= WORD and with_tokens <= MOST_WORDS and order <= MOST_ORDERS:
        index.words = max(<uint32_t>with_tokens, 1)
        if n_ids:
            return number_ids_with_positions(work, index, references, streams, segment, n_ids)
        return number_with_positions(work, index, POSITION_SETS, slots_per_token)
    if with_tokens == 1 and longest <= longest_short() and order <= MOST_ORDERS and not n_ids:
        index.words = 2
        return number_with_positions(work, index, WIDE_SETS, slots_per_token)
    index.route = CLASSES
    if n_ids:
        return number_ids(work, index, references, streams, segment, n_ids)
    return number_tokens(work, index, slots_per_token)


cdef Py_ssize_t number_hypothesis(
    Workspace* work, int tokenizer, const View* hypotheses, int64_t segment, size_t n_ids, const Index* index
) except -1 nogil:
    """Reads the tokens of a hypothesis after those of its references, and numbers them; returns how many there are."""
    cdef size_t base = work.tokens
    cdef size_t count = <size_t>(hypotheses.ends[segment] - hypotheses.starts[segment])
    cdef const int64_t* ids = <const int64_t*>hypotheses.data + hypotheses.starts[segment]
    if index.by_id == NULL:
        count = <size_t>read_tokens(work, tokenizer, hypotheses, segment)
        if index.route <= WIDE_SETS:
            find_numbers(index, work, base)
        else:
            list_known_tokens(index, work, base)
    else:
        reserve_numbers(work, base + count)
        work.tokens = base + count
        if index.route == SETS_BY_ID:
            find_numbers_by_id(index, ids, count, n_ids, work.numbers + base)
        else:
            list_known_ids(index, work, base, ids, count, n_ids)
    if count > MOST_TOKENS:
        with gil:
            raise ValueError(f"a hypothesis has {count} tokens, more than the {MOST_TOKENS} that can be counted")
    return <Py_ssize_t>count


cdef int64_t chosen_length(const Index* index, int rule, int64_t length) noexcept nogil:
    """The length of the reference that the rule chooses for a hypothesis of this length."""
    if index.distinct_lengths != NULL:
        return distinct_reference_length(rule, index.distinct_lengths, index.n_lengths, length)
    return reference_length(rule, index.lengths, index.n_lengths, length)


cdef int match_hypothesis(
    Workspace* work, int tokenizer, const View* hypotheses, int64_t segment, int order, int rule, size_t n_ids,
    const Index* index, int64_t* row
) except -1 nogil:
    """Writes one row: sys_len, ref_len, correct_1..order, total_1..order."""
    cdef size_t base = work.tokens
    cdef int64_t length = number_hypothesis(work, tokenizer, hypotheses, segment, n_ids, index)
    cdef int64_t* correct = row + 2
    cdef int64_t* total = row + 2 + order
    cdef int n
    row[0] = length
    row[1] = chosen_length(index, rule, length)
    if index.route < CLASSES:
        match_position_sets(index, work, base, order, correct)
    else:
        match_classes(index, work, base, order, correct, NULL)
    for n in range(order):
        total[n] = max(<int64_t>0, length - n)
    return 0


cdef int mark_hypothesis(
    const Index* index, Workspace* work, size_t base, int order, uint8_t* marks
) except -1 nogil:
    """Writes where the n-grams of a numbered hypothesis match, clipped.

    An n-gram of order n that ends at token t and matches gets a 1 at marks[t * order + n - 1]. The marks are all zero
    before. The matches of a prefix of the hypothesis are the marks at its tokens.
    """
    if index.route < CLASSES:
        return mark_position_sets(index, work, base, order, marks)
    reserve(<void**>&work.correct, <size_t>order, sizeof(int64_t))
    return match_classes(index, work, base, order, work.correct, marks)


cdef class SegmentReferences:
    """The references of the segments of one call: columns to be read, or prepared ones.

    Args:
        tokenizer: The kernel's number of a tokenizer, or IDS.
        streams: How many columns `views` has room for.
        prepared: The prepared references in place of columns, or None.
        numbers: int64 [n]: which of the prepared segments belongs to each segment; None: `first` + i to segment i.
        first: What the first segment is called in an error.
        order: The largest n.
        samples: How many hypotheses each segment has, one after the other; more than one only if they are ids.
    """

    def __cinit__(
        self, int tokenizer, size_t streams, ReferenceIndex prepared, numbers, Py_ssize_t first, int order,
        Py_ssize_t samples=1,
    ):
        if samples < 1 or samples > 1 and tokenizer != TOKENIZE_IDS:
            raise ValueError(f"there must be one hypothesis of each segment, or ids of several, not {samples}")
        self.tokenizer = tokenizer
        self.samples = samples
        self.streams = streams
        self.prepared = prepared
        self.first = first
        self.order = order
        if prepared is not None or samples > 1:
            reserve(<void**>&self.tables, <size_t>order, sizeof(NgramTable))
        if prepared is None:
            reserve(<void**>&self.views, streams, sizeof(View))
            if samples > 1:
                self.scratch = ReferenceIndex(tokenizer, order)
            return
        if prepared.tokenizer != tokenizer or prepared.order != order:
            raise ValueError("these references were prepared for another tokenizer or order")
        if numbers is not None:
            self.numbers = Int64Buffer(numbers, "segments", 1, False)

    def __dealloc__(self):
        release_all(<void**>&self.views, <void**>&self.streams)

    cdef int expect(self, Py_ssize_t segments, uint64_t bits) except -1:
        """Checks that there are numbers for all segments, and whether arrays by id can take ids of these bits."""
        if segments % self.samples:
            raise ValueError(f"there must be {self.samples} hypotheses of each segment, but all are {segments}")
        if self.numbers is not None and self.numbers.rows * self.samples != segments:
            raise ValueError(f"segments must have {segments // self.samples} numbers, not {self.numbers.rows}")
        if self.tokenizer == TOKENIZE_IDS and self.prepared is None and bits < MOST_IDS:
            self.n_ids = <size_t>bits + 1
        return 0

    cdef bint load(self, Workspace* work, const View* hypotheses, Py_ssize_t i, Index* index) except -1 nogil:
        """Makes the references of segment i ready; False where it has none.

        Call `begin` before each of its hypotheses is matched, and `unload` afterwards.
        """
        cdef size_t bytes = <size_t>(hypotheses.ends[i] - hypotheses.starts[i])
        cdef Py_ssize_t block
        if self.prepared is None:
            read_references(
                work, self.tokenizer, self.views, self.streams, i, bytes, SLOTS_PER_TOKEN, self.n_ids, self.order,
                index)
            if index.references == 0:
                return False
            if self.samples > 1 and index.route == CLASSES:
                # Matching by classes takes the list of the references' tokens apart.
                if self.samples >= SAMPLES_FOR_TABLES:
                    self.scratch.keep_tables(work, index, self.tables)
                else:
                    self.scratch.keep_list(work)
            self.tokens = work.tokens
            return True
        block = self.first + i
        if self.numbers is not None:
            block = <Py_ssize_t>self.numbers.data[i]
        if block < 0 or block >= self.prepared.length:
            return False
        if self.tokenizer != TOKENIZE_IDS:
            reset_arena(&work.spans, bytes + ARENA_MARGIN)
        self.tokens = 0
        self.prepared.load(block, index, self.tables)
        return True

    cdef void begin(self, Workspace* work, const Index* index) noexcept nogil:
        """Makes the workspace ready for a hypothesis of the segment that is loaded."""
        work.tokens = self.tokens
        if self.samples > 1 and index.route == CLASSES:
            self.scratch.load_list(work)

    cdef object error(self, Py_ssize_t i):
        """The error for a segment that has no references."""
        if self.prepared is not None:
            return IndexError(f"there is no prepared segment for hypothesis {self.first + i}")
        return no_reference(self.first + i)


cdef void unload(const Index* index) noexcept nogil:
    """Leaves the workspace as the next segment needs it."""
    if index.by_id != NULL:
        forget_ids(index)


cdef void forget_all(Workspace* work) noexcept nogil:
    """Clear the workspace after an error in the middle of a segment: no memory, or Ctrl-C."""
    clear(work.by_id)
    clear(work.sets_by_id)
    clear(work.matched)


cdef object no_reference(Py_ssize_t segment):
    """The error for a segment without any reference."""
    return ArgumentValueError(
        "references", f"hold nothing but None for segment {segment}: it has no reference in any stream; "
        'give it one, or "" for an empty one')
# Nothing of this module is seen from Python.
