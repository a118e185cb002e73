"""Columns -> rows of statistics: numbering tokens, matching n-grams against references, clipping.

The distinct tokens of a segment's references are numbered 1..V in a small hash table; 0 is "in no reference". Keys are
compared whole (bytes of long tokens too), so a hash decides where to look, never what is equal. Then one of two
routes counts, both exact: position sets while the references are short, numbered n-grams where their positions take
more than MOST_WORDS machine words.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport llabs
from libc.string cimport memset

from fastbleu._columns cimport NOWHERE, Column, IdColumn, Int64Buffer, TextColumn, View
from fastbleu._ngram_tables cimport match_by_tables, number_tokens
from fastbleu._position_sets cimport WORD, match_position_sets, number_with_positions
from fastbleu._reference_index cimport ReferenceIndex
from fastbleu._tokenize cimport TOKENIZE_IDS, reset_arena
from fastbleu._tokens cimport TokenSlot, TokenTable, append_tokens
from fastbleu._workspace cimport (
    CLOSEST,
    SHORTEST,
    Index,
    NgramEntry,
    Workspace,
    free_workspace,
    read_tokens,
    reserve,
    workspace_bytes,
)

cdef enum:
    MOST_WORDS = 16          # of position sets, over all references of a segment; beyond, n-grams are numbered
    MOST_TOKENS = 1 << 30    # in a segment's references together: slots are numbered in 32 bits
    ARENA_MARGIN = 192       # bytes that one text's copy may need beyond its own
    SLOTS_PER_TOKEN = 8      # where an index is used once
    SLOTS_PER_KEPT_TOKEN = 4
    KEPT_WORKSPACES = 8
    MOST_KEPT_BYTES = 1 << 20


cdef inline bint is_absent(const View* view, int64_t segment) noexcept nogil:
    return view.absent != NULL and view.absent[segment]


# --------------------------------------------------------------------------------------------------- one segment


cdef int read_references(
    Workspace* work, int tokenizer, const View* references, size_t streams, int64_t segment, size_t ahead,
    size_t slots_per_token, Index* index,
) except -1 nogil:
    """Numbers the tokens of a segment's references; index.references is 0 where there is none.

    `ahead` is how many bytes of text the hypothesis will need a copy of at most.
    """
    cdef size_t stream, bytes = ahead + ARENA_MARGIN, words = 0
    cdef long count
    memset(index, 0, sizeof(Index))
    reserve(<void**>&work.lengths, &work.lengths_capacity, streams, sizeof(uint32_t))
    index.lengths = work.lengths
    if tokenizer != TOKENIZE_IDS:
        for stream in range(streams):
            bytes += <size_t>(references[stream].ends[segment] - references[stream].starts[segment]) + ARENA_MARGIN
        reset_arena(&work.spans, bytes)
    work.tokens = 0
    for stream in range(streams):
        if is_absent(&references[stream], segment):
            continue
        count = read_tokens(work, tokenizer, &references[stream], segment)
        index.lengths[index.references] = <uint32_t>count
        index.references += 1
        words += (<size_t>count + WORD - 1) // WORD
    if work.tokens > MOST_TOKENS:
        with gil:
            raise ValueError(f"the references of one segment have {work.tokens} tokens together, "
                             f"more than the {MOST_TOKENS} that can be counted")
    index.n_lengths = index.references
    if index.references == 0:
        return 0
    if words == 0:
        words = 1            # all are empty
    if words <= MOST_WORDS:
        index.words = <uint32_t>words
        number_with_positions(work, index, slots_per_token)
    else:
        number_tokens(work, index)
    return 0


cdef inline View shifted(View view, int64_t segments) noexcept nogil:
    """A view that begins so many segments later."""
    view.starts += segments
    view.ends += segments
    if view.absent != NULL:
        view.absent += segments
    return view


cdef int64_t reference_length(const Index* index, int rule, int64_t length) noexcept nogil:
    """The reference length that the brevity penalty asks for, for a hypothesis of this length."""
    cdef int64_t chosen = index.lengths[0], candidate, difference, smallest = llabs(length - chosen)
    cdef uint32_t reference
    for reference in range(1, index.n_lengths):
        candidate = index.lengths[reference]
        if rule == SHORTEST:
            chosen = min(chosen, candidate)
            continue
        difference = llabs(length - candidate)
        if difference < smallest or difference == smallest and rule == CLOSEST and candidate < chosen:
            chosen = candidate
            smallest = difference
    return chosen


cdef int match_hypothesis(
    Workspace* work, int tokenizer, const View* hypotheses, int64_t segment, int order, int rule, const Index* index,
    int64_t* row
) except -1 nogil:
    """Writes one row: sys_len, ref_len, correct_1..order, total_1..order."""
    cdef size_t base = work.tokens
    cdef int64_t length = read_tokens(work, tokenizer, hypotheses, segment)
    cdef int64_t* correct = row + 2
    cdef int64_t* total = row + 2 + order
    cdef int n
    row[0] = length
    row[1] = reference_length(index, rule, length)
    if index.words:
        match_position_sets(index, work, base, order, correct)
    else:
        match_by_tables(index, work, base, order, correct)
    for n in range(order):
        total[n] = max(<int64_t>0, length - n)
    return 0


cdef inline bint ends_tokenized(const View* view, int64_t segment) noexcept nogil:
    """Whether a segment ends in " .", which looks as if somebody had tokenized it."""
    cdef int64_t stop = view.ends[segment]
    return stop - view.starts[segment] >= 2 and view.data[stop - 1] == c"." and view.data[stop - 2] == c" "


# ------------------------------------------------------------------------------------------------------ many segments


cdef str no_reference(Py_ssize_t segment):
    return (f"references hold nothing but None for segment {segment}: it has no reference in any stream; "
            'give it one, or "" for an empty one')


cdef class WorkspaceHolder:
    """One thread's memory, as a Python object, with columns and a table for a single segment."""

    cdef Workspace work
    cdef TextColumn hypothesis
    cdef TextColumn references
    cdef TokenTable table
    cdef list ids
    cdef list names

    def __cinit__(self):
        memset(&self.work, 0, sizeof(Workspace))
        self.ids = []
        self.names = []
        self.hypothesis = TextColumn()
        self.references = TextColumn()
        self.table = TokenTable()

    def __dealloc__(self):
        free_workspace(&self.work)

    cdef int read_segment(self, object hypothesis, tuple references, View* views) except -1:
        """Reads one segment of tokens: the hypothesis into ids[0], and views of its references."""
        cdef list sequences = [hypothesis, *references]
        cdef Py_ssize_t s, n = len(sequences)
        cdef list columns = self.ids
        cdef IdColumn column
        while len(columns) < n:
            columns.append(IdColumn())
            self.names.append(f"references[{len(columns) - 2}]" if len(columns) > 1 else "hypothesis")
        if len(columns) > n:
            columns = columns[:n]
        for s in range(n):
            column = <IdColumn>columns[s]
            column.reserve_segments(1)
            column.grow(0)
        append_tokens(self.table, columns, sequences, self.names, NOWHERE, None, False)
        for s in range(n):
            column = <IdColumn>columns[s]
            column.finish()
            if s:
                views[s - 1] = column.view
        return 0

    cdef size_t nbytes(self):
        """Bytes held from one call to the next."""
        cdef size_t size = workspace_bytes(&self.work) + self.table.capacity * sizeof(TokenSlot)
        for column in [self.hypothesis, self.references, *self.ids]:
            size += (<Column>column).capacity
        return size


cdef class NgramCounter:
    """Counts the n-grams of segments against their references.

    Args:
        tokenizer: A number of tokenizers.COMPILED, or IDS where the columns hold ids.
        order: The largest n, >= 1.
        rule: Whose length is ref_len, a number of matching.REFERENCE_LENGTHS.
    """

    cdef readonly int tokenizer
    cdef readonly int order
    cdef readonly int rule
    cdef list workspaces

    def __cinit__(self, int tokenizer, int order, int rule=CLOSEST):
        if order < 1 or not 0 <= tokenizer <= TOKENIZE_IDS:
            raise ValueError(f"tokenizer must be in 0..{TOKENIZE_IDS} and order >= 1, not {tokenizer} and {order}")
        if not CLOSEST <= rule <= SHORTEST:
            raise ValueError(f"rule must be in 0..{SHORTEST}, not {rule}")
        self.tokenizer = tokenizer
        self.order = order
        self.rule = rule
        self.workspaces = []

    def __reduce__(self):
        return NgramCounter, (self.tokenizer, self.order, self.rule)

    cdef WorkspaceHolder borrow(self):
        try:
            return <WorkspaceHolder>self.workspaces.pop()
        except IndexError:
            return WorkspaceHolder()

    cdef void give_back(self, WorkspaceHolder holder):
        """Keeps a workspace for the next call, unless a long segment made it large."""
        if holder.nbytes() <= MOST_KEPT_BYTES and len(self.workspaces) < KEPT_WORKSPACES:
            self.workspaces.append(holder)

    cdef Column checked(self, Column column, str name):
        """The column, if it holds what this counts: text or ids."""
        if isinstance(column, IdColumn) != (self.tokenizer == TOKENIZE_IDS):
            wanted, found = ("tokens", "text") if self.tokenizer == TOKENIZE_IDS else ("text", "tokens")
            raise TypeError(f"{name} must be {wanted} all along, but {found} was found among it")
        return column

    def count(self, Column hypotheses not None, list references not None, Py_ssize_t first=0, rows=None):
        """Counts a range of segments against their references.

        Args:
            hypotheses: n segments.
            references: Columns of n segments each, one per stream.
            first: What the first segment is called in an error.
            rows: int64 [n, 2 + 2 * order] to write to: sys_len, ref_len, correct_1.., total_1..

        Returns:
            The sums of the rows as a list of 2 + 2 * order int; how many hypotheses end in " ."; and the number of
            references of a segment, -1 where segments differ, 0 where there are no segments.

        Raises:
            ValueError: A segment has no reference in any stream.
        """
        cdef size_t streams = len(references), s
        cdef View* views = <View*>PyMem_Malloc(max(<size_t>1, streams) * sizeof(View))
        cdef WorkspaceHolder holder = self.borrow()
        cdef Column column
        if views == NULL:
            raise MemoryError
        try:
            for s in range(streams):
                column = self.checked(<Column?>references[s], "references")
                if column.length != hypotheses.length:
                    raise ValueError(f"references[{s}] has {column.length} segments, hypotheses {hypotheses.length}")
                views[s] = column.view
            return self.run(holder, self.checked(hypotheses, "hypotheses"), views, streams, None, None, first, rows)
        finally:
            PyMem_Free(views)
            self.give_back(holder)

    def count_one(self, hypothesis, tuple references not None, bint lowercase=False):
        """Counts one segment, without the detour over chunks.

        Args:
            hypothesis: The segment: a str, or where this counts ids a sequence of hashable tokens.
            references: Likewise; None for one that is not there.
            lowercase: Whether to count str.lower() of each str.

        Returns:
            As count.

        Raises:
            TypeError: The hypothesis is no such segment, or a reference neither one nor None; or a token has no hash.
            ValueError: There is no reference.
        """
        cdef Py_ssize_t streams = len(references), s
        cdef WorkspaceHolder holder = self.borrow()
        cdef View* views = <View*>PyMem_Malloc(<size_t>max(<Py_ssize_t>1, streams) * sizeof(View))
        cdef TextColumn column
        if views == NULL:
            raise MemoryError
        try:
            if self.tokenizer == TOKENIZE_IDS:
                holder.read_segment(hypothesis, references, views)
                return self.run(holder, <Column>holder.ids[0], views, <size_t>streams, None, None, 0, None)
            column = holder.hypothesis
            column.reserve_segments(1)
            column.append(hypothesis, "hypothesis", 0, lowercase, False)
            column.finish()
            column = holder.references
            column.reserve_segments(streams)
            column.grow(0)
            for s in range(streams):
                column.append(references[s], "references", s, lowercase, True)
            column.finish()
            for s in range(streams):
                views[s] = shifted(column.view, s)
            return self.run(holder, holder.hypothesis, views, <size_t>streams, None, None, 0, None)
        finally:
            PyMem_Free(views)
            self.give_back(holder)

    def count_prepared(
        self, Column hypotheses not None, ReferenceIndex references not None, segments=None, Py_ssize_t first=0,
        rows=None,
    ):
        """Like count, against prepared references: segment i against block segments[i], or first + i."""
        if references.tokenizer != self.tokenizer or references.order != self.order:
            raise ValueError("these references were prepared for another tokenizer or order")
        cdef WorkspaceHolder holder = self.borrow()
        try:
            return self.run(
                holder, self.checked(hypotheses, "hypotheses"), NULL, 0, references, segments, first, rows)
        finally:
            self.give_back(holder)

    cdef tuple run(
        self, WorkspaceHolder holder, Column hypotheses, View* views, size_t streams, ReferenceIndex prepared,
        object segments, Py_ssize_t first, object rows,
    ):
        cdef Py_ssize_t i, n = hypotheses.length, width = 2 + 2 * <Py_ssize_t>self.order
        cdef Py_ssize_t missing = -1, tokenized = 0, number = 0, block
        cdef int order = self.order, tokenizer = self.tokenizer, rule = self.rule
        cdef View view = hypotheses.view
        cdef Workspace* work = &holder.work
        cdef Index index
        cdef int64_t* row
        cdef int64_t* totals
        cdef size_t* masks = NULL
        cdef NgramEntry** tables = NULL
        cdef bint has_rows = rows is not None, has_segments = segments is not None, has_prepared = prepared is not None
        cdef Int64Buffer row_buffer = None, segment_buffer = None
        cdef int64_t* all_rows = NULL
        cdef const int64_t* all_segments = NULL
        cdef Py_ssize_t k
        if has_rows:
            row_buffer = Int64Buffer(rows, "rows", 2, True)
            if row_buffer.rows != n or row_buffer.columns != width:
                raise ValueError(
                    f"rows must have the shape [{n}, {width}], not [{row_buffer.rows}, {row_buffer.columns}]")
            all_rows = row_buffer.data
        if has_segments:
            segment_buffer = Int64Buffer(segments, "segments", 1, False)
            if segment_buffer.rows != n:
                raise ValueError(f"segments must have {n} numbers, not {segment_buffer.rows}")
            all_segments = segment_buffer.data
        reserve(<void**>&work.correct, &work.correct_capacity, 2 * <size_t>width, sizeof(int64_t))
        totals = work.correct
        memset(totals, 0, <size_t>width * sizeof(int64_t))
        if has_prepared:
            masks = <size_t*>PyMem_Malloc(<size_t>order * (sizeof(size_t) + sizeof(NgramEntry*)))
            if masks == NULL:
                raise MemoryError
            tables = <NgramEntry**>(masks + order)
        try:
            with nogil:
                for i in range(n):
                    row = all_rows + i * width if has_rows else totals + width
                    if has_prepared:
                        block = <Py_ssize_t>all_segments[i] if has_segments else first + i
                        if block < 0 or block >= prepared.length:
                            missing = i
                            break
                        if tokenizer != TOKENIZE_IDS:
                            reset_arena(&work.spans, <size_t>(view.ends[i] - view.starts[i]) + ARENA_MARGIN)
                        work.tokens = 0
                        prepared.load(block, &index, masks, tables)
                    else:
                        read_references(
                            work, tokenizer, views, streams, i, <size_t>(view.ends[i] - view.starts[i]),
                            SLOTS_PER_TOKEN, &index)
                        if index.references == 0:
                            missing = i
                            break
                    number = <Py_ssize_t>index.references if i == 0 or number == <Py_ssize_t>index.references else -1
                    match_hypothesis(work, tokenizer, &view, i, order, rule, &index, row)
                    for k in range(width):
                        totals[k] += row[k]
                    if tokenizer != TOKENIZE_IDS:
                        tokenized += ends_tokenized(&view, i)
            if missing >= 0:
                if has_prepared:
                    raise IndexError(f"there is no prepared segment for hypothesis {first + missing}")
                raise ValueError(no_reference(first + missing))
            return [totals[k] for k in range(width)], tokenized, number
        finally:
            PyMem_Free(masks)

    def index(self, ReferenceIndex index not None, Column references not None, ranges, Py_ssize_t first=0):
        """Prepares references of further segments.

        Args:
            index: Where to.
            references: All of them, those of one segment next to each other.
            ranges: int64 [n + 1]: the references of segment i are those from ranges[i] to ranges[i + 1] - 1.
            first: What the first segment is called in an error.

        Returns:
            The number of references of a segment; -1 where segments differ; 0 where there are no segments.

        Raises:
            ValueError: A segment has no reference, or the ranges do not fit.
        """
        cdef Int64Buffer bounds = Int64Buffer(ranges, "ranges", 1, False)
        cdef Py_ssize_t i, k, n = bounds.rows - 1, missing = -1, number = 0, widest = 0
        cdef View* views
        cdef WorkspaceHolder holder = self.borrow()
        cdef Workspace* work = &holder.work
        cdef Index segment
        self.checked(references, "references")
        for i in range(n):
            if not 0 <= bounds.data[i] <= bounds.data[i + 1] <= references.length:
                raise ValueError(f"ranges[{i + 1}] = {bounds.data[i + 1]} does not fit {references.length} references")
            widest = max(widest, <Py_ssize_t>(bounds.data[i + 1] - bounds.data[i]))
        views = <View*>PyMem_Malloc(<size_t>(widest + 1) * sizeof(View))
        if views == NULL:
            raise MemoryError
        try:
            with nogil:
                for i in range(n):
                    for k in range(<Py_ssize_t>(bounds.data[i + 1] - bounds.data[i])):
                        views[k] = shifted(references.view, bounds.data[i] + k)
                    read_references(
                        work, self.tokenizer, views, <size_t>(bounds.data[i + 1] - bounds.data[i]), 0, 0,
                        SLOTS_PER_KEPT_TOKEN, &segment)
                    if segment.references == 0:
                        missing = i
                        break
                    number = segment.references if i == 0 or number == <Py_ssize_t>segment.references else -1
                    index.append(work, &segment)
            if missing >= 0:
                raise ValueError(no_reference(first + missing))
            return number
        finally:
            PyMem_Free(views)
            self.give_back(holder)


IDS = TOKENIZE_IDS
