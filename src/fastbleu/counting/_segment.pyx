"""Index the references of one segment, and match hypotheses with them.

The distinct tokens of a segment's references are numbered from 1; a token of the hypothesis that is in no reference has
the number 0. `choose_route` chooses the algorithm that matches n-grams, called a route: sets of positions if all
references are short, otherwise classes of n-grams. All routes give the same counts.
"""

cimport cython

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from fastbleu._native.memory cimport clear, release_all, reserve, reserve_cleared
from fastbleu._native.signals cimport STEPS_PER_CHECK
from fastbleu.counting._match_long_references cimport match_long
from fastbleu.counting._match_one_short cimport longest_short
from fastbleu.counting._match_short_references cimport (
    MAX_ORDERS,
    WORD,
    find_numbers,
    mark_short,
    match_short,
    number_ids_with_positions,
    number_with_positions,
)
from fastbleu.counting._numbering cimport (
    find_numbers_by_id,
    forget_ids,
    list_known_ids,
    list_known_tokens,
    number_ids,
    number_tokens,
)
from fastbleu.counting._reference_length cimport drop_repeated_lengths, reference_length
from fastbleu.counting._shared_tables cimport make_shared_tables, release_shared_tables
from fastbleu.counting._workspace cimport (
    ROUTE_LONG,
    ROUTE_ONE_SHORT,
    ROUTE_SHORT,
    Index,
    NgramTable,
    Options,
    Workspace,
    append_keys,
    read_tokens,
    reserve_numbers,
)
from fastbleu.inputs._column cimport Column, Int64Buffer, View
from fastbleu.tokenizers._tokenize cimport ARENA_MARGIN, TOKENIZE_IDS, reset_arena, tokenize_text

from fastbleu.errors import ArgumentValueError, counted

cdef enum:
    MAX_WORDS = 16           # The maximum number of words per position set. Above it, matching by classes is faster.
    MAX_TOKENS = 1 << 30     # The maximum number of tokens of a hypothesis, and of a segment's references together.
    SLOTS_PER_TOKEN = 8      # The minimum number of slots per token in the hash table of tokens.
    MIN_HYPOTHESES_FOR_TABLES = 4   # If at least this many hypotheses share references, make shared tables.
    MAX_IDS = 1 << 18        # Ids below this limit are looked up in arrays of 1 to 4 MB. Most vocabularies are smaller.


cdef int choose_route(
    const Options* options, uint32_t references, size_t with_tokens, size_t longest, size_t longest_hypothesis,
    bint can_be_one_short
) noexcept nogil:
    """Return the route by which the n-grams of a segment are matched.

    Args:
        options: The options of counting.
        references: The number of references, at least one.
        with_tokens: The number of references with at least one token.
        longest: The number of tokens of the longest reference.
        longest_hypothesis: The number of bytes or ids of the longest hypothesis. Only ROUTE_LONG checks for signals, so
            long hypotheses need it.
        can_be_one_short: Whether the caller can count this segment by `count_one_short`.
    """
    if options.order > MAX_ORDERS or longest_hypothesis > STEPS_PER_CHECK:
        return ROUTE_LONG
    if references == 1 and longest <= longest_short() and can_be_one_short:
        return ROUTE_ONE_SHORT
    if with_tokens <= MAX_WORDS and longest <= WORD:
        return ROUTE_SHORT
    return ROUTE_LONG


cdef inline bint is_missing(const View* view, int64_t i) noexcept nogil:
    """Return whether segment i of a column is missing (None)."""
    return view.missing != NULL and view.missing[i]


cdef inline size_t size_of(const View* view, int64_t i) noexcept nogil:
    """Return the size of segment i of a column, in bytes of text or in ids."""
    return <size_t>(view.ends[i] - view.starts[i])


cdef Py_ssize_t number_hypothesis(
    Workspace* work, const Options* options, const View* hypotheses, int64_t i, const Index* index
) except -1 nogil:
    """Number the tokens of hypothesis i, and append them to the references' tokens in the workspace.

    Returns:
        The number of tokens of the hypothesis.

    Raises:
        ValueError: The hypothesis has more than MAX_TOKENS.
    """
    cdef size_t base = work.tokens, count = size_of(hypotheses, i)
    cdef const int64_t* ids = <const int64_t*>hypotheses.data + hypotheses.starts[i]
    if index.by_id == NULL:
        count = <size_t>read_tokens(work, options.tokenizer, hypotheses, i)
        if index.route == ROUTE_SHORT:
            find_numbers(index, work, base)
        else:
            list_known_tokens(index, work, base)
    else:
        reserve_numbers(work, base + count)
        work.tokens = base + count
        if index.route == ROUTE_SHORT:
            find_numbers_by_id(index, ids, count, options.n_ids, work.numbers + base)
        else:
            list_known_ids(index, work, base, ids, count, options.n_ids)
    if count > MAX_TOKENS:
        with gil:
            raise ValueError(f"a hypothesis has {count} tokens, but at most {MAX_TOKENS} can be counted; split it")
    return <Py_ssize_t>count


cdef int match_hypothesis(
    Workspace* work, const Options* options, const View* hypotheses, int64_t i, const Index* index, int64_t* row
) except -1 nogil:
    """Write the row of hypothesis i: sys_len, ref_len, correct_1..order, total_1..order."""
    cdef size_t base = work.tokens
    cdef int64_t length = number_hypothesis(work, options, hypotheses, i, index)
    cdef int n, order = options.order
    row[0] = length
    row[1] = reference_length(options.rule, index, length)
    if index.route == ROUTE_SHORT:
        match_short(index, work, base, order, row + 2)
    else:
        match_long(index, work, base, order, row + 2, NULL)
    for n in range(order):
        row[2 + order + n] = max(<int64_t>0, length - n)
    return 0


cdef int mark_hypothesis(
    Workspace* work, const Options* options, const Index* index, size_t base, uint8_t* marks
) except -1 nogil:
    """Mark the clipped matches of a hypothesis that `number_hypothesis` has numbered.

    Set marks[t * order + n - 1] to 1 for each match of order n that ends at token t; all marks must be 0 before. The
    matches of a prefix of the hypothesis are the marks at the tokens of the prefix.
    """
    if index.route == ROUTE_SHORT:
        return mark_short(index, work, base, options.order, marks)
    reserve(<void**>&work.correct, <size_t>options.order, sizeof(int64_t))
    return match_long(index, work, base, options.order, work.correct, marks)


@cython.final
cdef class SegmentReferences:
    """The references of all segments of a call. `load` makes an index of the references of one segment.

    Args:
        tokenizer: The number of a tokenizer, or TOKENIZE_IDS.
        order: The largest n.
        rule: The rule for the reference length: CLOSEST, CLOSEST_FIRST or SHORTEST (_reference_length.pxd).
        group_size: The number of consecutive hypotheses for each segment.
    """

    def __cinit__(self, int tokenizer, int order, int rule, Py_ssize_t group_size=1):
        if group_size < 1:
            raise ValueError(f"there must be at least one hypothesis for each segment, not {group_size}")
        self.options.tokenizer, self.options.order, self.options.rule = tokenizer, order, rule
        self.group_size = group_size

    def __dealloc__(self):
        if self.tables != NULL:
            release_shared_tables(self.tables, self.options.order)
        release_all(<void**>&self.views, <void**>&self.options, 4)

    cdef int set_columns(self, list columns, object ranges) except -1:
        """Set the columns of references. The caller must keep the columns alive.

        Args:
            columns: One column for each stream, with one reference per segment; or a single column with all references,
                in which those of a segment are consecutive.
            ranges: None for streams. For a single column, two arrays int64 [segments]: the index of each segment's
                first reference, and one after the index of its last reference.

        Raises:
            ValueError: The columns differ in length, or a range exceeds the column.
        """
        cdef Int64Buffer starts, stops
        cdef Column column
        cdef Py_ssize_t i
        cdef size_t s
        if ranges is None:
            self.streams = len(columns)
            self.length = len(columns[0]) if columns else 0
            reserve(<void**>&self.views, self.streams, sizeof(View))
            for s in range(self.streams):
                column = columns[s]
                if column.length != self.length:
                    raise ValueError(
                        f"references[{s}] has {counted(column.length, 'segment')}, but references[0] has {self.length}")
                self.views[s] = column.view
            return 0
        column = columns[0]
        starts, stops = Int64Buffer(ranges[0], "starts", 1, False), Int64Buffer(ranges[1], "stops", 1, False)
        if starts.rows != stops.rows:
            raise ValueError(f"stops must have {starts.rows} numbers like starts, not {stops.rows}")
        self.length = starts.rows
        reserve(<void**>&self.starts, <size_t>self.length, sizeof(int64_t))
        reserve(<void**>&self.stops, <size_t>self.length, sizeof(int64_t))
        for i in range(self.length):
            # Copy the numbers before they are checked, since another thread could change the arrays afterwards.
            self.starts[i], self.stops[i] = starts.data[i], stops.data[i]
            if not 0 <= self.starts[i] <= self.stops[i] <= column.length:
                raise ValueError(
                    f"the range {self.starts[i]}:{self.stops[i]} of segment {i} does not fit "
                    f"{column.length} references")
            self.streams = max(self.streams, <size_t>(self.stops[i] - self.starts[i]))
        reserve(<void**>&self.views, self.streams, sizeof(View))
        for s in range(self.streams):
            self.views[s] = column.view
            self.views[s].starts += s
            self.views[s].ends += s
            if column.view.missing != NULL:
                self.views[s].missing += s
        return 0

    cdef int set_hypotheses(self, Py_ssize_t hypotheses, uint64_t bits) except -1:
        """Check the number of hypotheses, and choose whether ids are looked up in an array or in a hash table.

        Args:
            hypotheses: The number of hypotheses.
            bits: The bitwise OR of all ids of the hypotheses and references, which is at least the largest id.

        Raises:
            ValueError: The number of hypotheses is not `group_size` times the number of segments.
        """
        if hypotheses != self.length * self.group_size:
            raise ValueError(
                f"there must be {counted(self.group_size, 'hypothesis')} for each of "
                f"{counted(self.length, 'segment')}, not {hypotheses} in total")
        self.options.by_id = self.options.tokenizer == TOKENIZE_IDS and bits < MAX_IDS
        self.options.n_ids = <size_t>bits + 1
        return 0

    cdef size_t locate(self, Py_ssize_t segment, int64_t* position) noexcept nogil:
        """Find the references of a segment: one in each of the first k views, at the same index in all of them.

        Args:
            segment: The index of the segment.
            position: Receives the index of the references in their views.

        Returns:
            k, which includes views where the reference is missing.
        """
        if self.starts == NULL:
            position[0] = segment
            return self.streams
        position[0] = self.starts[segment]
        return <size_t>(self.stops[segment] - self.starts[segment])

    cdef Py_ssize_t count_sharing(self, Py_ssize_t i) noexcept nogil:
        """Return the number of consecutive hypotheses, from hypothesis i on, that have the same references."""
        cdef Py_ssize_t segment = i if self.group_size == 1 else i // self.group_size, stop = segment + 1
        if self.starts != NULL:
            while (
                stop < self.length
                and self.starts[stop] == self.starts[segment] and self.stops[stop] == self.stops[segment]
            ):
                stop += 1
        return stop * self.group_size - i

    cdef Py_ssize_t load(
        self, Workspace* work, const View* hypotheses, Py_ssize_t i, bint marks, Index* index
    ) except -1 nogil:
        """Read and index the references of hypothesis i, which following hypotheses may share.

        If `index.route` becomes ROUTE_ONE_SHORT, the reference is tokenized but not indexed, and the caller must call
        `count_one_short`. On the other routes, the caller must call `begin` before it matches each hypothesis, and
        `unload` after the last one.

        Args:
            work: The workspace of this thread.
            hypotheses: The column of hypotheses.
            i: The index of the hypothesis.
            marks: Whether matches will be marked, which ROUTE_ONE_SHORT does not support.
            index: Receives the index of the references.

        Returns:
            The number of hypotheses, from i on, for which the index can be used; 0 if the segment has no reference.

        Raises:
            ValueError: The references together have more than MAX_TOKENS.
        """
        cdef int64_t position
        cdef size_t references = self.locate(i if self.group_size == 1 else i // self.group_size, &position), s
        cdef size_t bytes = 0, count, with_tokens = 0, longest = 0, tokens = 0, longest_hypothesis = 0
        cdef Py_ssize_t hypothesis, sharing = self.count_sharing(i)
        cdef bint is_text = self.options.tokenizer != TOKENIZE_IDS
        # Setting single fields is faster than clearing the whole struct.
        index.position = position
        index.references = index.n_lengths = 0
        index.by_id = NULL
        index.tables = NULL
        for s in range(references):
            if not is_missing(&self.views[s], position):
                index.references += 1
                index.view = &self.views[s]
                bytes += size_of(&self.views[s], position) + ARENA_MARGIN
        if index.references == 0:
            return 0
        for hypothesis in range(i, i + sharing):
            longest_hypothesis = max(longest_hypothesis, size_of(hypotheses, hypothesis))
        if is_text:
            reset_arena(&work.spans, bytes + longest_hypothesis + ARENA_MARGIN)
        reserve(<void**>&work.lengths, index.references, sizeof(uint32_t))
        index.lengths = work.lengths
        work.tokens = 0
        for s in range(references):
            if is_missing(&self.views[s], position):
                continue
            count = size_of(&self.views[s], position)
            if is_text and index.references == 1:
                # Do not make keys of the tokens yet, since ROUTE_ONE_SHORT does not need them.
                count = <size_t>tokenize_text(
                    self.options.tokenizer, self.views[s].data + self.views[s].starts[position], count,
                    self.views[s].readable_end, &work.spans)
            elif is_text:
                count = <size_t>read_tokens(work, self.options.tokenizer, &self.views[s], position)
            index.lengths[index.n_lengths] = <uint32_t>count
            index.n_lengths += 1
            with_tokens += count != 0
            longest = max(longest, count)
            tokens += count
        if tokens > MAX_TOKENS:
            with gil:
                raise ValueError(f"the references of one segment have {tokens} tokens together, "
                                 f"but at most {MAX_TOKENS} can be counted; split the segment")
        index.route = choose_route(
            &self.options, index.references, with_tokens, longest, longest_hypothesis,
            (is_text or self.options.by_id) and not marks)
        if index.route == ROUTE_ONE_SHORT:
            return sharing
        if index.route == ROUTE_LONG and sharing < MIN_HYPOTHESES_FOR_TABLES:
            sharing = 1
        index.words = <uint32_t>max(with_tokens, <size_t>1)
        self.index_references(work, references, position, sharing > 1, index)
        self.tokens = work.tokens
        self.arena_used = work.spans.arena_used
        if sharing > 1:
            drop_repeated_lengths(index)
        return sharing

    cdef int index_references(
        self, Workspace* work, size_t references, int64_t position, bint are_shared, Index* index
    ) except -1 nogil:
        """Number the tokens of the references, and make the position sets or the shared tables that the route needs."""
        cdef size_t s
        if self.options.by_id:
            if index.route == ROUTE_SHORT:
                number_ids_with_positions(work, index, self.views, references, position, self.options.n_ids)
            else:
                number_ids(work, index, self.views, references, position, self.options.n_ids)
        else:
            if self.options.tokenizer == TOKENIZE_IDS:
                for s in range(references):
                    if not is_missing(&self.views[s], position):
                        read_tokens(work, TOKENIZE_IDS, &self.views[s], position)
            elif index.references == 1:
                append_keys(work, index.lengths[0])
            if index.route == ROUTE_SHORT:
                number_with_positions(work, index, SLOTS_PER_TOKEN)
            else:
                number_tokens(work, index, SLOTS_PER_TOKEN)
        if index.route == ROUTE_LONG and are_shared:
            if self.tables == NULL:
                reserve_cleared(<void**>&self.tables, <size_t>self.options.order, sizeof(NgramTable))
            make_shared_tables(work, index, self.tables, self.options.order)
        return 0

    cdef void begin(self, Workspace* work) noexcept nogil:
        """Remove the previous hypothesis from the workspace, so that only the loaded references remain."""
        work.tokens = self.tokens
        work.spans.arena_used = self.arena_used


cdef void unload(const Index* index) noexcept nogil:
    """Clear the array of token numbers that is indexed by ids. It must be all zero before the next segment."""
    if index.by_id != NULL:
        forget_ids(index)


cdef void forget_all(Workspace* work) noexcept nogil:
    """After a MemoryError or Ctrl-C within a segment, clear the buffers that must be zero between segments."""
    clear(work.by_id)
    clear(work.sets_by_id)
    clear(work.matched)


cpdef object no_reference(Py_ssize_t segment):
    """Return the error for a segment without any reference."""
    return ArgumentValueError(
        "references", f"hold nothing but None for segment {segment}: it has no reference in any stream; "
        'give it one, or "" for an empty one')


def count_references(Column references not None, starts, stops, Py_ssize_t first=0):
    """Count the references per segment.

    Args:
        references: All references; those of a segment are consecutive.
        starts: int64 [n], the index of each segment's first reference.
        stops: int64 [n], one after the index of each segment's last reference.
        first: The number of the first segment in error messages.

    Returns:
        The number of references per segment; -1 if segments differ in it; 0 if there are no segments.

    Raises:
        ValueError: A segment has no reference, or a range exceeds the column.
    """
    cdef SegmentReferences ranges = SegmentReferences(TOKENIZE_IDS, 1, 0)
    cdef Py_ssize_t i, present, number = 0
    cdef size_t s, views
    cdef int64_t position
    ranges.set_columns([references], (starts, stops))
    for i in range(ranges.length):
        present = 0
        views = ranges.locate(i, &position)
        for s in range(views):
            present += not is_missing(&ranges.views[s], position)
        if present == 0:
            raise no_reference(first + i)
        number = present if i == 0 or number == present else -1
    return number
