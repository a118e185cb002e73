"""Columns -> rows of statistics: segment by segment, in memory that is kept from call to call."""

from cpython.pythread cimport PyThread_get_thread_ident
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF, PyObject
from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from fastbleu._native.atomics cimport fb_place_of_thread, fb_put, fb_read, fb_take
from fastbleu._native.memory cimport capacity, held_bytes, release, reserve
from fastbleu.counting._reference_index cimport ReferenceIndex
from fastbleu.counting._reference_length cimport CLOSEST, SHORTEST
from fastbleu.counting._script_watch cimport ScriptWatch, is_unspaced_inside
from fastbleu.counting._segment cimport (
    SegmentReferences,
    forget_all,
    match_hypothesis,
    no_reference,
    read_references,
    unload,
)
from fastbleu.counting._match_one_short cimport SHORT_ORDER, count_short
from fastbleu.counting._workspace cimport Index, Workspace, free_workspace, workspace_bytes
from fastbleu.inputs._column cimport NOWHERE, Column, IdColumn, Int64Buffer, View
from fastbleu.inputs._text cimport TextColumn
from fastbleu.inputs._tokens cimport TokenTable, append_tokens
from fastbleu.tokenizers._tokenize cimport TOKENIZE_IDS, check_tokenizer

from fastbleu.errors import place

cdef enum:
    SLOTS_PER_KEPT_TOKEN = 4
    MOST_KEPT_BYTES = 1 << 22    # what a document of ten thousand tokens takes
    BRIEF_BYTES = 1 << 12        # of a segment and its references, counted within a few microseconds


cdef inline View shifted(View view, int64_t segments) noexcept nogil:
    """A view that begins `segments` segments later."""
    view.starts += segments
    view.ends += segments
    if view.absent != NULL:
        view.absent += segments
    return view


cdef inline bint ends_tokenized(const View* view, int64_t segment) noexcept nogil:
    """Return whether a segment ends in " .", which suggests that it has been tokenized."""
    cdef int64_t stop = view.ends[segment]
    return stop - view.starts[segment] >= 2 and view.data[stop - 1] == c"." and view.data[stop - 2] == c" "


cdef inline void add_row(int64_t* totals, const int64_t* row, Py_ssize_t width, int64_t weight) noexcept nogil:
    cdef Py_ssize_t k
    if weight == 1:
        for k in range(width):
            totals[k] += row[k]
    else:
        for k in range(width):
            totals[k] += weight * row[k]


cdef inline size_t bytes_of(Column column) noexcept:
    return held_bytes(<void**>&column.own_data, <void**>&column.length)


cdef class WorkspaceHolder:
    """One thread's memory, as a Python object, with columns and a table for a single segment."""

    def __cinit__(self):
        memset(&self.work, 0, sizeof(Workspace))
        self.ids = []
        self.names = []
        self.hypothesis = TextColumn()
        self.references = TextColumn()
        self.table = TokenTable()

    def __dealloc__(self):
        free_workspace(&self.work)

    cdef SegmentReferences single(self, NgramCounter counter, size_t streams):
        """The references of a single segment, to be filled; the same object from call to call."""
        cdef SegmentReferences found = self.of_single
        if found is None:
            found = self.of_single = SegmentReferences(counter.tokenizer, streams, None, None, 0, counter.order)
        reserve(<void**>&found.views, streams, sizeof(View))
        found.streams = streams
        found.n_ids = 0
        return found

    cdef uint64_t read_segment(self, object hypothesis, tuple references, View* views) except? 0:
        """Reads one segment of tokens: the hypothesis into ids[0], and views of its references; returns all bits."""
        cdef uint64_t bits = 0
        cdef list sequences = [hypothesis]
        cdef Py_ssize_t s, n = 1 + len(references)
        cdef list columns = self.ids
        cdef IdColumn column
        sequences.extend(references)
        while len(self.names) < n:
            self.names.append(place("references", len(self.names) - 1) if self.names else place("hypothesis"))
        while len(columns) < n:
            columns.append(IdColumn())
        if len(columns) > n:
            columns = columns[:n]
        for s in range(n):
            column = <IdColumn>columns[s]
            column.bits = 0
            column.reserve_segments(1)
        append_tokens(self.table, columns, sequences, self.names, NOWHERE, None, False)
        for s in range(n):
            column = <IdColumn>columns[s]
            column.finish()
            bits |= column.bits
            if s:
                views[s - 1] = column.view
        return bits

    cdef size_t nbytes(self):
        """Bytes held from one call to the next."""
        cdef size_t size = workspace_bytes(&self.work) + capacity(self.table.slots)
        size += bytes_of(self.hypothesis) + bytes_of(self.references)
        for column in self.ids:
            size += bytes_of(<Column>column)
        return size


cdef class NgramCounter:
    """Counts the n-grams of segments against their references.

    Args:
        tokenizer: The kernel's number of a tokenizer, or IDS where the columns hold ids.
        order: The largest n, >= 1.
        rule: Whose length is ref_len: a place in options.REFERENCE_LENGTHS.

    Attributes:
        scripts: The watch over the scripts of hypotheses.

    A call counts in a workspace that no other call has meanwhile: it takes one that is kept, or makes one.
    """

    def __cinit__(self, int tokenizer, int order, int rule=CLOSEST):
        check_tokenizer(tokenizer)
        if order < 1:
            raise ValueError(f"order must be at least 1, not {order}")
        if not CLOSEST <= rule <= SHORTEST:
            raise ValueError(f"rule must be in 0..{SHORTEST}, not {rule}")
        self.tokenizer = tokenizer
        self.order = order
        self.width = 2 + 2 * <Py_ssize_t>order
        self.rule = rule
        self.scripts = ScriptWatch()

    def __dealloc__(self):
        cdef size_t k
        for k in range(<size_t>KEPT_WORKSPACES):
            Py_XDECREF(<PyObject*>fb_take(<void**>&self.kept[k].holder))

    def __reduce__(self):
        return NgramCounter, (self.tokenizer, self.order, self.rule)

    cdef WorkspaceHolder borrow(self):
        """A workspace for the caller alone: mostly the one that its thread gave back last."""
        cdef size_t first = fb_place_of_thread(PyThread_get_thread_ident(), KEPT_BITS), k
        cdef void* found
        cdef WorkspaceHolder holder
        for k in range(<size_t>KEPT_WORKSPACES):
            found = fb_take(<void**>&self.kept[(first + k) % KEPT_WORKSPACES].holder)
            if found != NULL:
                holder = <WorkspaceHolder>found
                Py_DECREF(holder)  # that of the place
                holder.place = first
                return holder
        holder = WorkspaceHolder()
        holder.place = first
        return holder

    cdef void give_back(self, WorkspaceHolder holder):
        """Keeps a workspace for the next call, unless a long segment made it large."""
        cdef size_t k
        if holder.nbytes() > MOST_KEPT_BYTES:
            return
        Py_INCREF(holder)
        for k in range(<size_t>KEPT_WORKSPACES):
            if fb_put(<void**>&self.kept[(holder.place + k) % KEPT_WORKSPACES].holder, <void*>holder):
                return
        Py_DECREF(holder)

    cdef Column checked(self, Column column, str name):
        """The column, if it holds what this counts: text or ids."""
        if isinstance(column, IdColumn) != (self.tokenizer == TOKENIZE_IDS):
            wanted, found = ("tokens", "text") if self.tokenizer == TOKENIZE_IDS else ("text", "tokens")
            raise TypeError(f"{name} must be {wanted} throughout, but part of it is {found}")
        return column

    def count(
        self, Column hypotheses not None, references not None, Py_ssize_t first=0, rows=None, Py_ssize_t samples=1,
        numbers=None, weights=None,
    ):
        """Counts a range of segments against their references.

        Args:
            hypotheses: n segments.
            references: Columns of n segments each, one per stream; or of n / samples. Or a ReferenceIndex.
            first: What the first segment of the references is called in an error.
            rows: int64 [n, 2 + 2 * order] to write to: sys_len, ref_len, correct_1.., total_1..
            samples: How many hypotheses have the same references, one after the other; above 1 for ids only.
            numbers: int64 [n / samples]: the segment of a ReferenceIndex that belongs to each; None: first + i.
            weights: int64 [n / samples]: how often each segment counts in what is returned; None: once.

        Returns:
            The sums of the rows as a list of 2 + 2 * order int; how many hypotheses end in " ."; and the number of
            references of a segment, -1 where segments differ, 0 where there are no segments.

        Raises:
            ValueError: A segment has no reference in any stream.
        """
        cdef WorkspaceHolder holder = self.borrow()
        try:
            return self.run(
                holder, self.checked(hypotheses, "hypotheses"),
                self.sources(hypotheses, references, numbers, first, samples), rows, False, weights)
        finally:
            self.give_back(holder)

    cdef SegmentReferences sources(
        self, Column hypotheses, object references, object numbers, Py_ssize_t first, Py_ssize_t samples=1
    ):
        """References in columns or prepared, ready for these hypotheses."""
        cdef SegmentReferences found
        cdef uint64_t bits = hypotheses.bits
        cdef Column column
        cdef size_t s
        if isinstance(references, ReferenceIndex):
            found = SegmentReferences(self.tokenizer, 0, references, numbers, first, self.order, samples)
        else:
            found = SegmentReferences(self.tokenizer, len(references), None, None, first, self.order, samples)
        for s in range(found.streams):
            column = self.checked(<Column?>references[s], "references")
            if column.length * samples != hypotheses.length:
                raise ValueError(f"references[{s}] has {column.length} segments, hypotheses {hypotheses.length}")
            found.views[s] = column.view
            bits |= column.bits
        found.expect(hypotheses.length, bits)
        return found

    def count_one(self, hypothesis, references not None, bint lowercase=False):
        """Counts one segment, without the detour over chunks.

        Args:
            hypothesis: The segment: a str, or where this counts ids a sequence of hashable tokens.
            references: A sequence of likewise; None for one that is not there.
            lowercase: Whether to count str.lower() of each str.

        Returns:
            As count.

        Raises:
            TypeError: The hypothesis is not a segment, a reference is neither one nor None, or a token has no hash.
            ValueError: There is no reference.
        """
        cdef tuple given = tuple(references)
        cdef Py_ssize_t streams = len(given), s
        cdef WorkspaceHolder holder = self.borrow()
        cdef SegmentReferences found
        cdef TextColumn column
        cdef int64_t bytes
        try:
            found = holder.single(self, <size_t>streams)
            if self.tokenizer == TOKENIZE_IDS:
                found.expect(1, holder.read_segment(hypothesis, given, found.views))
                return self.run(holder, <Column>holder.ids[0], found, None)
            column = holder.hypothesis
            column.reserve_segments(1)
            column.append(hypothesis, "hypothesis", NOWHERE, lowercase, False)
            column.finish()
            bytes = column.own_offsets[1]
            column = holder.references
            column.reserve_segments(streams)
            for s in range(streams):
                column.append(given[s], "references", s, lowercase, True)
            column.finish()
            bytes += column.own_offsets[streams]
            for s in range(streams):
                found.views[s] = shifted(column.view, s)
            return self.run(holder, holder.hypothesis, found, None, bytes <= BRIEF_BYTES)
        finally:
            self.give_back(holder)

    cdef tuple run(
        self, WorkspaceHolder holder, Column hypotheses, SegmentReferences references, object rows, bint brief=False,
        object weights=None,
    ):
        """Counts all segments; keeps the lock where there is so little to do that to release it takes longer."""
        cdef Py_ssize_t k, n = hypotheses.length, width = 2 + 2 * <Py_ssize_t>self.order, missing
        cdef Workspace* work = &holder.work
        cdef Counted counted
        cdef Int64Buffer row_buffer = None, weight_buffer = None
        cdef int64_t watched = n
        cdef list totals = []
        counted.rows = NULL
        counted.weights = NULL
        counted.watches = self.tokenizer != TOKENIZE_IDS and fb_read(&self.scripts.watching) != 0
        if rows is not None:
            row_buffer = Int64Buffer(rows, "rows", 2, True)
            if row_buffer.rows != n or row_buffer.columns != width:
                raise ValueError(
                    f"rows must have the shape [{n}, {width}], not [{row_buffer.rows}, {row_buffer.columns}]")
            counted.rows = row_buffer.data
        if weights is not None:
            weight_buffer = Int64Buffer(weights, "weights", 1, False)
            if weight_buffer.rows * references.samples != n:
                raise ValueError(f"weights must have {n // references.samples} numbers, not {weight_buffer.rows}")
            counted.weights = weight_buffer.data
            watched = sum(weights)
        reserve(<void**>&work.correct, (1 + <size_t>references.samples) * <size_t>width, sizeof(int64_t))
        counted.totals = work.correct
        try:
            if brief:
                missing = self.count_each(work, &hypotheses.view, n, references, &counted)
            else:
                with nogil:
                    missing = self.count_each(work, &hypotheses.view, n, references, &counted)
        except BaseException:
            forget_all(work)
            raise
        if missing >= 0:
            raise references.error(missing)
        if counted.watches:
            self.scripts.note(watched, counted.unspaced)
        for k in range(width):
            totals.append(counted.totals[k])
        return totals, counted.tokenized, counted.references

    cdef Py_ssize_t count_each(
        self, Workspace* work, const View* hypotheses, Py_ssize_t n, SegmentReferences references, Counted* counted
    ) except -2 nogil:
        """Counts n hypotheses, those of a segment against references that are read and indexed once.

        Returns:
            The number of the first segment that has no reference, or NOWHERE.
        """
        cdef int64_t weight = 1
        cdef Py_ssize_t i, k, number, samples = references.samples, width = 2 + 2 * <Py_ssize_t>self.order
        cdef int order = self.order, tokenizer = self.tokenizer, rule = self.rule
        cdef bint is_short = (
            order == SHORT_ORDER and references.streams == 1 and references.prepared is None
            and (references.n_ids > 0 or tokenizer != TOKENIZE_IDS))
        cdef Index index
        cdef int64_t* rows
        cdef int64_t* totals = counted.totals
        memset(totals, 0, <size_t>width * sizeof(int64_t))
        counted.tokenized = counted.unspaced = counted.references = 0
        for i in range(n // samples):
            rows = counted.rows + i * samples * width if counted.rows != NULL else totals + width
            if is_short and count_short(
                work, tokenizer, references.n_ids, hypotheses, references.views, i, samples, rows
            ):
                number = 1
            else:
                if not references.load(work, hypotheses, i, &index):
                    return i
                number = <Py_ssize_t>index.references
                for k in range(samples):
                    references.begin(work, &index)
                    match_hypothesis(
                        work, tokenizer, hypotheses, i * samples + k, order, rule, references.n_ids, &index,
                        rows + k * width)
                unload(&index)
            if i == 0:
                counted.references = number
            elif counted.references != number:
                counted.references = -1
            if counted.weights != NULL:
                weight = counted.weights[i]
            for k in range(samples):
                add_row(totals, rows + k * width, width, weight)
            if tokenizer != TOKENIZE_IDS:
                counted.tokenized += weight * ends_tokenized(hypotheses, i)
            if counted.watches:
                counted.unspaced += weight * is_unspaced_inside(hypotheses, i)
        return NOWHERE

    def new_index(self):
        """A ReferenceIndex that holds nothing yet."""
        return ReferenceIndex(self.tokenizer, self.order)

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
        cdef View* views = NULL
        cdef WorkspaceHolder holder = self.borrow()
        cdef Workspace* work = &holder.work
        cdef Index segment
        self.checked(references, "references")
        for i in range(n):
            if not 0 <= bounds.data[i] <= bounds.data[i + 1] <= references.length:
                raise ValueError(f"ranges[{i + 1}] = {bounds.data[i + 1]} does not fit {references.length} references")
            widest = max(widest, <Py_ssize_t>(bounds.data[i + 1] - bounds.data[i]))
        try:
            reserve(<void**>&views, <size_t>widest, sizeof(View))
            with nogil:
                for i in range(n):
                    for k in range(<Py_ssize_t>(bounds.data[i + 1] - bounds.data[i])):
                        views[k] = shifted(references.view, bounds.data[i] + k)
                    read_references(
                        work, self.tokenizer, views, <size_t>(bounds.data[i + 1] - bounds.data[i]), 0, 0,
                        SLOTS_PER_KEPT_TOKEN, 0, self.order, &segment)
                    if segment.references == 0:
                        missing = i
                        break
                    number = segment.references if i == 0 or number == <Py_ssize_t>segment.references else -1
                    index.append(work, &segment)
            if missing >= 0:
                raise no_reference(first + missing)
            return number
        finally:
            release(<void**>&views)
            self.give_back(holder)
