"""Represent texts as sets, so that the number of clipped matches of two texts is the size of an intersection.

An *element* is a pair (n-gram, k): the k-th occurrence of the n-gram in a text. Two texts have as many clipped matches
as they have elements in common. Elements that occur in only one text are not stored. If many references contain an
element, it gets a matrix row with one byte per reference, 0 or 1; the matches with all references are then a sum of
rows. If few references contain it, it gets a list of these references, so that memory stays linear in the tokens.

Texts with equal tokens are stored once.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memmove, memset

from fastbleu._native._hashing cimport (
    SEEDS,
    fb_find_token,
    fb_hash_bytes,
    fb_home,
    fb_key,
    fb_long_key,
    fb_seeds,
    slots_for,
)
from fastbleu._native.memory cimport release_all, reserve, reserve_cleared
from fastbleu._native.signals cimport STEPS_PER_CHECK, check_after, check_signals, clear_memory
from fastbleu.inputs._column cimport View
from fastbleu.rerank._pool_ngrams cimport (
    NgramCounts,
    Pool,
    clear_counts,
    find_largest,
    free_pool,
    number_ngrams,
    read_pool,
)
from fastbleu.rerank._score_by_length cimport MAX_TABLE_ORDERS

cdef enum:
    MAX_BYTE = 255               # Largest number of rows of zeros and ones whose sums always fit in a byte.
    # Adding a row takes time for every reference. So an element gets a list instead of a row if at most
    # 1/RARE of the references contain it, or at most FEW references.
    RARE = 16
    FEW = 6
    IN_A_LIST = 0xffffffff       # Value in `row_of` for an element that has a list instead of a row.


cdef void free_pair_index(PairIndex* index) noexcept nogil:
    free_pool(&index.pool)
    release_all(<void**>&index.distinct, <void**>&index.max_orders, 12)


# Reading texts


cdef int keep_distinct(
    PairIndex* index, size_t start, size_t stop, size_t* read, size_t* kept, size_t* tokens,
    const uint32_t* known_numbers,
) except -1 nogil:
    """Remove repeated texts from the texts start..stop - 1 of the pool, and number the distinct texts of this range.

    Args:
        index: The index, whose pool has been read.
        start: The index of the first text of the range.
        stop: The index after the last text of the range.
        read: Index of the first token of the range; on return, of the first token after the range.
        kept: Number of distinct texts of the earlier ranges; on return, including this range.
        tokens: Number of tokens of these distinct texts; on return, including this range.
        known_numbers: [texts of all ranges]: the number of each text among the distinct texts of its range, to use
            instead of comparing tokens; or NULL.
    """
    cdef Pool* pool = &index.pool
    cdef uint32_t* numbers = <uint32_t*>pool.numbers
    cdef size_t mask = slots_for(stop - start, 2) - 1, first = kept[0], text, slot, bytes
    cdef uint64_t address
    cdef fb_seeds seeds = SEEDS
    cdef fb_key key
    if not reserve_cleared(<void**>&index.slots, mask + 1, sizeof(uint32_t)):
        memset(index.slots, 0, (mask + 1) * sizeof(uint32_t))
    memset(index.keys, 0, sizeof(fb_key))
    for text in range(start, stop):
        bytes = pool.lengths[text] * sizeof(uint32_t)
        address = <uint64_t>(numbers + read[0])
        key = fb_long_key(fb_hash_bytes(<const uint8_t*>address, bytes, seeds), bytes)
        if known_numbers != NULL:
            # The numbers of distinct texts are below the size of the table, so they serve as slots.
            slot = known_numbers[text]
        else:
            slot = fb_find_token(
                index.slots, sizeof(uint32_t), mask, index.keys, index.bytes_at, fb_home(key, mask, seeds), key,
                &address)
        read[0] += pool.lengths[text]
        if index.slots[slot] == 0:
            memmove(numbers + tokens[0], <const void*>address, bytes)
            index.firsts[kept[0]] = tokens[0]
            pool.lengths[kept[0]] = pool.lengths[text]
            tokens[0] += pool.lengths[text]
            kept[0] += 1
            index.slots[slot] = <uint32_t>(kept[0] - first)
            index.keys[kept[0] - first] = key
            index.bytes_at[kept[0] - first] = <uint64_t>(numbers + index.firsts[kept[0] - 1])
        index.distinct[text] = index.slots[slot] - 1
    return 0


cdef int read_pair_texts(
    PairIndex* index, int tokenizer, const View* hypotheses, int64_t start, int64_t stop,
    const View* references, int64_t reference_start, int64_t reference_stop, const uint32_t* known_numbers=NULL,
) except -1 nogil:
    """Read the hypotheses and the references of a pool, number their tokens, and remove repeated texts.

    Args:
        index: The index to fill.
        tokenizer: A constant TOKENIZE_*.
        hypotheses: The texts of the hypotheses, of which start..stop - 1 are read.
        references: The texts of the references, of which reference_start..reference_stop - 1 are read; NULL: the
            hypotheses are also the references.
        known_numbers: [texts]: the number of each text among the distinct hypotheses or references; NULL: texts with
            equal tokens get the same number.
    """
    cdef Pool* pool = &index.pool
    cdef size_t n_hypotheses = <size_t>(stop - start), texts, read = 0, kept = 0, tokens = 0
    index.shared = references == NULL
    index.first_reference = 0 if index.shared else n_hypotheses
    read_pool(pool, tokenizer, hypotheses, start, stop, references, reference_start, reference_stop)
    texts = pool.texts
    reserve(<void**>&index.distinct, texts, sizeof(uint32_t))
    reserve(<void**>&index.firsts, texts, sizeof(size_t))
    reserve(<void**>&index.keys, texts + 1, sizeof(fb_key))
    reserve(<void**>&index.bytes_at, texts + 1, sizeof(uint64_t))
    keep_distinct(index, 0, n_hypotheses, &read, &kept, &tokens, known_numbers)
    index.hypotheses = kept
    index.references = kept
    if not index.shared:
        keep_distinct(index, n_hypotheses, texts, &read, &kept, &tokens, known_numbers)
        index.references = kept - index.hypotheses
    pool.texts = kept
    pool.tokens = tokens
    memcpy(pool.ngrams, pool.numbers, tokens * sizeof(uint32_t))
    index.width = (index.references + <size_t>ROW_BLOCK - 1) // <size_t>ROW_BLOCK * <size_t>ROW_BLOCK
    return 0


# Indexing elements, which are the k-th occurrences of n-grams


cdef int list_elements(PairIndex* index, int n) except -1 nogil:
    """List the elements of order n of each text, and give the number 0 to n-grams without a match."""
    cdef Pool* pool = &index.pool
    cdef size_t text, start, t, first, after
    cdef uint32_t number, listed
    cdef NgramCounts* counts
    cdef uint32_t* elements
    # The k-th occurrence of an n-gram is needed only if it can match, i.e. if two texts that are compared both contain
    # the n-gram at least k times. Hypotheses are compared with references; if they are the same texts, all texts are
    # compared with each other.
    for number in range(1, <size_t>pool.n_ngrams + 1):
        check_signals(number)
        counts = &pool.counts[number]
        counts.max_count = counts.second_count if index.shared else min(counts.max_count, counts.second_count)
        counts.base = <uint32_t>index.n_distinct
        index.n_distinct += counts.max_count
    for text in range(pool.texts):
        first = index.firsts[text]
        after = first + pool.lengths[text]
        listed = 0
        elements = index.elements + <size_t>(n - 1) * pool.tokens + first
        for start from first + n - 1 <= start < after by STEPS_PER_CHECK:
            for t in range(start, min(after, start + STEPS_PER_CHECK)):
                counts = &pool.counts[pool.ngrams[t]]
                if counts.running < counts.max_count:
                    elements[listed] = counts.base + counts.running
                    counts.running += 1
                    listed += 1
            check_after(after - start)
        for start from first + n - 1 <= start < after by STEPS_PER_CHECK:
            for t in range(start, min(after, start + STEPS_PER_CHECK)):
                counts = &pool.counts[pool.ngrams[t]]
                counts.running = 0
                if counts.max_count == 0:
                    pool.ngrams[t] = 0
            check_after(after - start)
        index.n_elements[<size_t>(n - 1) * pool.texts + text] = listed
    return 0


cdef int store_elements(PairIndex* index) except -1 nogil:
    """Store the references that contain each element (the k-th occurrence of an n-gram), as a matrix row or a list."""
    cdef Pool* pool = &index.pool
    cdef size_t reference, text, position, k, element, rows = 0, listed = 0, after = 0
    cdef size_t before = 0 if index.shared else index.hypotheses
    cdef const uint32_t* elements
    cdef size_t rare = max(index.references // RARE, <size_t>FEW)
    cdef int n
    if not reserve_cleared(<void**>&index.starts, index.n_distinct + 2, sizeof(uint32_t)):
        clear_memory(index.starts, (index.n_distinct + 2) * sizeof(uint32_t))
    reserve(<void**>&index.row_of, index.n_distinct + 1, sizeof(uint32_t))
    # This is a counting sort. First starts[element + 2] is the number of references that contain the element. Then
    # starts[element + 1] is the index at which the next reference of the element is written. At the end, the list of
    # the element is starts[element]..starts[element + 1] - 1.
    for n in range(index.orders):
        for reference in range(index.references):
            text = before + reference
            elements = index.elements + <size_t>n * pool.tokens + index.firsts[text]
            for k in range(index.n_elements[<size_t>n * pool.texts + text]):
                check_signals(k)
                index.starts[elements[k] + 2] += 1
    for element in range(index.n_distinct):
        check_signals(element)
        after = index.starts[element + 2]
        index.row_of[element] = <uint32_t>IN_A_LIST
        if after > rare:
            index.row_of[element] = <uint32_t>rows
            rows += 1
            after = 0
        listed += after
        index.starts[element + 2] = <uint32_t>listed
    reserve(<void**>&index.reference_lists, listed, sizeof(uint32_t))
    if rows and not reserve_cleared(<void**>&index.matrix, rows * index.width, 1):
        memset(index.matrix, 0, rows * index.width)
    for n in range(index.orders):
        for reference in range(index.references):
            text = before + reference
            elements = index.elements + <size_t>n * pool.tokens + index.firsts[text]
            for k in range(index.n_elements[<size_t>n * pool.texts + text]):
                check_signals(k)
                element = elements[k]
                if index.row_of[element] != <uint32_t>IN_A_LIST:
                    index.matrix[index.row_of[element] * index.width + reference] = 1
                else:
                    position = index.starts[element + 1]
                    index.reference_lists[position] = <uint32_t>reference
                    index.starts[element + 1] += 1
    return 0


cdef int sort_elements(PairIndex* index) except -1 nogil:
    """Move the elements that have a matrix row to the front of each hypothesis, and replace each by its row's number.

    Elements without a row follow, unchanged.
    """
    cdef Pool* pool = &index.pool
    cdef size_t hypothesis, k, rows, cell
    cdef uint32_t element
    cdef uint32_t* elements
    cdef int n
    for n in range(index.orders):
        for hypothesis in range(index.hypotheses):
            elements = index.elements + <size_t>n * pool.tokens + index.firsts[hypothesis]
            cell = <size_t>n * pool.texts + hypothesis
            rows = 0
            for k in range(index.n_elements[cell]):
                check_signals(k)
                element = elements[k]
                if index.row_of[element] != <uint32_t>IN_A_LIST:
                    elements[k] = elements[rows]
                    elements[rows] = index.row_of[element]
                    rows += 1
            index.n_rows[cell] = <uint32_t>rows
    return 0


cdef int build_index(PairIndex* index) except -1 nogil:
    """Build the index of the texts that `read_pair_texts` has read.

    Raises:
        ValueError: There may be more elements than 32-bit numbers can count.
    """
    cdef Pool* pool = &index.pool
    cdef size_t text, cells
    cdef uint32_t longest_hypothesis = 0, longest_reference = 0
    cdef int n
    for text in range(pool.texts):
        if text < index.hypotheses:
            longest_hypothesis = max(longest_hypothesis, pool.lengths[text])
        if text >= index.hypotheses or index.shared:
            longest_reference = max(longest_reference, pool.lengths[text])
    index.orders = index.max_orders
    if index.orders > MAX_TABLE_ORDERS:
        index.orders = max(1, min(index.orders, <int>longest_hypothesis))
    cells = <size_t>index.orders * pool.texts
    if <size_t>index.orders * pool.tokens >= <size_t><uint32_t>IN_A_LIST - 1:
        with gil:
            raise ValueError(f"one pool has {pool.tokens} tokens, too many for {index.orders} n-gram orders; "
                             "split it into smaller pools")
    reserve(<void**>&index.elements, <size_t>index.orders * pool.tokens, sizeof(uint32_t))
    reserve(<void**>&index.n_elements, cells, sizeof(uint32_t))
    reserve(<void**>&index.n_rows, cells, sizeof(uint32_t))
    memset(index.n_elements, 0, cells * sizeof(uint32_t))
    index.n_distinct = 0
    for n in range(1, index.orders + 1):
        if <uint32_t>n > min(longest_hypothesis, longest_reference):
            break
        if n > 1:
            number_ngrams(pool)
        if pool.n_ngrams == 0:
            break
        clear_counts(pool)
        find_largest(pool, n, index.hypotheses)
        list_elements(index, n)
    store_elements(index)
    sort_elements(index)
    return 0


# Counting matches


cdef inline void sum_rows(
    const uint8_t* matrix, size_t width, const uint32_t* rows, size_t n_rows, size_t first, uint8_t* out
) noexcept nogil:
    """Write the sum of at most MAX_BYTE matrix rows to `out`, [width], from the column `first` on.

    `first` and `width` are multiples of ROW_BLOCK.
    """
    cdef uint8_t sums[ROW_BLOCK]
    cdef const uint8_t* row
    cdef const uint8_t* others[3]
    cdef size_t block = first, i, i_of_four
    cdef int k
    while block < width:
        memset(sums, 0, ROW_BLOCK)
        # Add four rows at a time, so that the sums are loaded and stored less often.
        for i_of_four in range(n_rows // 4):
            i = 4 * i_of_four
            row = matrix + rows[i] * width + block
            for k in range(3):
                others[k] = matrix + rows[i + 1 + k] * width + block
            for k in range(ROW_BLOCK):
                sums[k] += <uint8_t>(row[k] + others[0][k]) + <uint8_t>(others[1][k] + others[2][k])
        for i in range(n_rows // 4 * 4, n_rows):
            row = matrix + rows[i] * width + block
            for k in range(ROW_BLOCK):
                sums[k] += row[k]
        memcpy(out + block, sums, ROW_BLOCK)
        block += ROW_BLOCK


cdef int count_index_matches(
    PairIndex* index, size_t hypothesis, size_t first, uint8_t* all_counts, uint32_t* all_counts_32
) except -1 nogil:
    """Count the matches of one hypothesis with every reference, at each order.

    Args:
        index: The index.
        hypothesis: The number of the distinct hypothesis.
        first: The first reference whose matches are needed. The counts of earlier references are not valid.
        all_counts: [orders][width]: the counts are written here if they fit in bytes; otherwise a scratch buffer.
        all_counts_32: [orders][width], all 0: the counts are written here if they may not fit in bytes; else NULL.
    """
    cdef bint use_32_bits = all_counts_32 != NULL
    cdef Pool* pool = &index.pool
    cdef size_t k, cell, j, rows, block = first // ROW_BLOCK * ROW_BLOCK
    cdef uint32_t i, start
    cdef const uint32_t* elements
    cdef uint8_t* counts
    cdef uint32_t* counts_32 = NULL
    cdef int n
    for n in range(index.orders):
        elements = index.elements + <size_t>n * pool.tokens + index.firsts[hypothesis]
        cell = <size_t>n * pool.texts + hypothesis
        counts = all_counts + <size_t>n * index.width
        if use_32_bits:
            counts_32 = all_counts_32 + <size_t>n * index.width
            k = 0
            while k < index.n_rows[cell]:
                rows = min(<size_t>MAX_BYTE, index.n_rows[cell] - k)
                sum_rows(index.matrix, index.width, elements + k, rows, block, counts)
                for j in range(block, index.width):
                    counts_32[j] += counts[j]
                k += rows
        else:
            sum_rows(index.matrix, index.width, elements, index.n_rows[cell], block, counts)
        for k in range(index.n_rows[cell], index.n_elements[cell]):
            check_signals(k)
            # A list has its references in ascending order, so read it from the end, and stop at one that is not needed.
            start = index.starts[elements[k]]
            i = index.starts[elements[k] + 1]
            while i > start and index.reference_lists[i - 1] >= block:
                i -= 1
                if use_32_bits:
                    counts_32[index.reference_lists[i]] += 1
                else:
                    counts[index.reference_lists[i]] += 1
        # The index has no n-grams that occur in one text only, but all n-grams of a text match the text itself.
        if index.shared and use_32_bits:
            counts_32[hypothesis] = <uint32_t>max(<int64_t>0, <int64_t>pool.lengths[hypothesis] - n)
        elif index.shared:
            counts[hypothesis] = <uint8_t>max(0, <int>pool.lengths[hypothesis] - n)
    return 0
