"""Find the spans of the tokens in UTF-8 text, for every compiled tokenizer.

The compiled tokenizers are sacreBLEU's 13a, zh, char, intl and none (which splits at white space like str.split()),
mteval-v11, the words of chrF, and characters including white space, which chrF can count as well.

A tokenizer never builds strings. It classifies the bytes of a segment in blocks of 64, with a 64-bit word for each
class that has one bit per byte. Then it finds the starts and ends of all tokens in a block by a few operations on these
words.

The scripts mteval-v13a and mteval-v14 ("intl") apply regular expressions one after another. Their combined effect on a
segment is given by the following rules. "Joint" characters are "." and "," (in intl any \\p{P}). "Digits" are 0-9 (in
intl any \\p{N}).

- Some characters are always separate tokens: most ASCII punctuation in 13a, v11 and zh, \\p{S} in intl, and Chinese
  characters in zh.
- In 13a, v11 and zh, a "-" after a digit is a separate token (rules_13a.h).
- A joint character is a separate token, unless the expression `([^0-9])([.,])` leaves it unpaired and the next
  character is a digit. The expression consumes pairs of characters from left to right. In a run of k joint characters
  after a character x, the first pair begins at x if x is not a digit, otherwise at the first joint character. So the
  last character of the run is unpaired if k is even and x is not a digit, or if k is odd and x is a digit. If a digit y
  follows the run, the unpaired character stays joined to y. If k = 1, it also stays joined to x: "1.5" is one token.
- At the start or the end of the text, x or y does not exist, and the expressions act as if it were a digit. In 13a and
  v11, x and y always exist, because these scripts first add a space before and after the text; zh and intl do not.
- v11 has the rules of 13a, but does not rewrite text. The script mteval-v11 first rewrites text, in another order than
  mteval-v13a, and then lowercases it, so this rewriting is in compat/codexglue.py.
"""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stddef cimport size_t
from libc.string cimport memcpy, memset

from fastbleu._native.memory cimport grow, release_all, reserve
from fastbleu._native.signals cimport check_after, check_signals
from fastbleu.inputs._text cimport TextColumn
from fastbleu.tokenizers._characters cimport (
    BLOCK,
    classify_non_ascii_intl,
    classify_non_ascii_spaces,
    classify_non_ascii_zh,
    fb_block,
    intl_class,
)

from fastbleu.inputs._text import text_column

cdef extern from "tokenizers/scan.h" nogil:
    ctypedef void (*fb_classifier)(
        const uint8_t* text, size_t blocks, const uint8_t* table, fb_block* out
    ) noexcept nogil
    ctypedef void (*fb_lister)(const uint64_t* words, size_t blocks, uint32_t* out) noexcept nogil
    void fb_choose_scanners(int level, fb_classifier* classifier, fb_lister* lister)
    const int FB_TABLE_SIZE, FB_LEADS, FB_LIST_SLACK
    const uint8_t FB_SPACE

cdef extern from "tokenizers/rules_13a.h" nogil:
    size_t fb_rewrite_13a(uint8_t* text, size_t length)
    uint8_t fb_class_13a(int byte)
    uint64_t fb_lone_hyphens(uint64_t hyphen, uint64_t digit, uint64_t digit_carry)

cdef extern from "tokenizers/chrf_words.h" nogil:
    size_t fb_count_chrf_words(const uint8_t* text, const uint32_t* starts, const uint32_t* ends, size_t words)
    void fb_split_chrf_words(const uint8_t* text, uint32_t* starts, uint32_t* ends, size_t words, size_t count)

cdef extern from "_native/bits.h" nogil:
    void fb_fetch(const void* start, size_t bytes)
    int fb_lowest_bit(uint64_t x)
    int fb_count_bits(uint64_t x)

cdef extern from "_native/unicode.h" nogil:
    const uint8_t* fastbleu_space_leads
    const uint8_t* fastbleu_zh_leads
    const uint8_t* fastbleu_class_leads

cdef extern from "_native/utf8.h" nogil:
    size_t fb_rstrip(const uint8_t* text, size_t length)
    int fb_non_ascii_space(const uint8_t* p)
    bint fb_ascii_space(uint8_t byte)

cdef enum:
    KEY_READ = 16            # The number of bytes that fb_token_key reads from the start of a token.
    FETCHED_AHEAD = 3 << 17  # The prefetch distance in bytes, so that the next chunk is fetched while one is counted.

cdef struct Rules:
    # The rules of a tokenizer, in the order in which they are applied.
    bint strips_start            # Remove white space at the start of the text. At the end, it is always removed.
    bint rewrites                # Call fb_rewrite_13a if a byte of the text has the class FB_REWRITE.
    uint8_t classes[192]         # The table of FB_TABLE_SIZE classes, which scan.h describes.
    # The function that adds the classes of non-ASCII characters to blocks.
    void (*classify_non_ascii)(const uint8_t* text, size_t n_blocks, fb_block* blocks) noexcept nogil
    bint pads                    # Act as if there were a space before and after the text.
    bint takes_characters        # Make each character except white space a token.
    bint takes_spaces            # Make white space characters tokens as well.
    bint splits_punctuation      # Split words as chrF++ does (chrf_words.h).


cdef Rules RULES[TOKENIZERS]
cdef fb_classifier classify
cdef fb_lister list_bits
fb_choose_scanners(2, &classify, &list_bits)


cdef void fill_rules() noexcept:
    """Set the rules of every tokenizer."""
    cdef int byte, tokenizer
    memset(RULES, 0, sizeof(RULES))
    for tokenizer in range(TOKENIZERS):
        RULES[tokenizer].classify_non_ascii = classify_non_ascii_spaces
        memcpy(RULES[tokenizer].classes + FB_LEADS, fastbleu_space_leads, FB_TABLE_SIZE - FB_LEADS)
    RULES[TOKENIZE_13A].rewrites = True
    RULES[TOKENIZE_13A].pads = True
    RULES[TOKENIZE_CHAR].takes_characters = True
    # sacreBLEU's zh strips the text at both ends before it tokenizes.
    RULES[TOKENIZE_ZH].strips_start = True
    RULES[TOKENIZE_ZH].classify_non_ascii = classify_non_ascii_zh
    memcpy(RULES[TOKENIZE_ZH].classes + FB_LEADS, fastbleu_zh_leads, FB_TABLE_SIZE - FB_LEADS)
    RULES[TOKENIZE_V11].pads = True
    RULES[TOKENIZE_INTL].classify_non_ascii = classify_non_ascii_intl
    memcpy(RULES[TOKENIZE_INTL].classes + FB_LEADS, fastbleu_class_leads, FB_TABLE_SIZE - FB_LEADS)
    for byte in range(128):
        for tokenizer in (TOKENIZE_13A, TOKENIZE_V11, TOKENIZE_ZH):
            RULES[tokenizer].classes[byte] = fb_class_13a(byte)
        RULES[TOKENIZE_INTL].classes[byte] = intl_class(<uint32_t>byte)
        for tokenizer in range(TOKENIZERS):
            if fb_ascii_space(<uint8_t>byte):
                RULES[tokenizer].classes[byte] |= FB_SPACE
    RULES[TOKENIZE_CHRF_WORDS].splits_punctuation = True
    RULES[TOKENIZE_EVERY_CHAR].takes_characters = True
    RULES[TOKENIZE_EVERY_CHAR].takes_spaces = True
    memset(RULES[TOKENIZE_EVERY_CHAR].classes, 0, FB_TABLE_SIZE)


fill_rules()


def use_instructions(int level):
    """Choose the instructions for tokenizing, for tests: 0 for portable C, 1 for at most AVX2, 2 for the fastest."""
    fb_choose_scanners(level, &classify, &list_bits)


cdef int check_tokenizer(int tokenizer) except -1:
    """Raise ValueError unless `tokenizer` is the number of a tokenizer or TOKENIZE_IDS."""
    if not TOKENIZE_IDS <= tokenizer < TOKENIZERS:
        raise ValueError(f"tokenizer must be in 0..{TOKENIZERS - 1}, or {TOKENIZE_IDS} for ids, not {tokenizer}")
    return 0


cdef void free_spans(Spans* spans) noexcept nogil:
    """Free the buffers of spans."""
    release_all(<void**>&spans.starts, <void**>&spans.arena_used, 4)


cdef int reset_arena(Spans* spans, size_t bytes_ahead) except -1 nogil:
    """Discard all copies of texts, and enlarge the arena to a capacity of at least `bytes_ahead` bytes."""
    spans.arena_used = 0
    return reserve(<void**>&spans.arena, bytes_ahead, 1)


cdef inline bint has_bit(const uint64_t* first_word, size_t stride, size_t position) noexcept nogil:
    """Return the bit of a class for the byte at a position. The words of the class are `stride` words apart."""
    return first_word[position // BLOCK * stride] >> (position % BLOCK) & 1


cdef inline bint is_unpaired(
    const fb_block* blocks, size_t last, bint begins_as_digit, size_t* first, bint* joined_before
) noexcept nogil:
    """Return whether the last character of a run of joint characters is unpaired (see the module's docstring).

    Args:
        blocks: The classes of the text's bytes.
        last: The position of the last byte of the run.
        begins_as_digit: Whether the start of the text acts like a digit.
        first: Receives the position of the first byte of the run.
        joined_before: Receives whether the run is a single character after a digit, and so stays joined to this digit.
    """
    cdef size_t stride = sizeof(fb_block) // sizeof(uint64_t)
    cdef size_t position = last + 1, count = 0
    cdef bint digit_before = begins_as_digit
    while position > 0 and has_bit(&blocks[0].joint, stride, position - 1):
        position -= 1
        if not has_bit(&blocks[0].continuation, stride, position):
            count += 1
    if position > 0:
        digit_before = has_bit(&blocks[0].digit, stride, position - 1)
    first[0] = position
    joined_before[0] = count == 1 and digit_before and position > 0
    return <bint>(count & 1) == digit_before


cdef inline size_t find_tokens(bint pads, size_t length, size_t n_blocks, fb_block* blocks) noexcept nogil:
    """Set the bits where tokens start and end in the blocks of a text; return the number of tokens.

    Args:
        pads: Whether the rules act as if there were a space before and after the text.
        length: The length of the text in bytes.
        n_blocks: The number of blocks.
        blocks: Have the classes of the text's bytes; receive the starts and ends of tokens.
    """
    cdef size_t b, count = 0, first = 0
    cdef uint64_t space, alone, joint, digit, candidates, bit, before, after, start, end, words, lead
    cdef uint64_t space_carry = 1, alone_carry = 0, digit_carry = 0, word_carry = 0, next_digit
    cdef bint joined_before = False
    for b in range(n_blocks):
        space = blocks[b].space
        words = ~space
        joint = blocks[b].joint
        digit = blocks[b].digit
        alone = blocks[b].alone | joint | fb_lone_hyphens(blocks[b].hyphen, digit, digit_carry)
        before = alone
        after = alone
        candidates = 0
        if joint:
            # Find the joint characters before a digit. Unless `pads`, the end of the text acts like a digit.
            next_digit = blocks[b + 1].digit & 1
            if not pads and length // BLOCK == b + (length % BLOCK == 0):
                if length % BLOCK:
                    digit |= <uint64_t>1 << (length % BLOCK)
                else:
                    next_digit = 1
            candidates = joint & (digit >> 1 | next_digit << (BLOCK - 1))
            digit = blocks[b].digit
        while candidates:
            bit = candidates & (~candidates + 1)
            candidates ^= bit
            if is_unpaired(blocks, b * BLOCK + <size_t>fb_lowest_bit(bit), not pads, &first, &joined_before):
                after &= ~bit
                if joined_before and first >= b * BLOCK:
                    before &= ~(<uint64_t>1 << (first % BLOCK))
                elif joined_before:
                    # The run begins in the previous block, where its first byte was marked as the start of a token and
                    # as the end of the digit's token. If another thread overwrites the text, the marks may be missing.
                    bit = <uint64_t>1 << (first % BLOCK) & blocks[b - 1].start & blocks[b - 1].end
                    blocks[b - 1].start ^= bit
                    blocks[b - 1].end ^= bit
                    count -= bit != 0
        # No token starts inside a character of several bytes, except after white space. There is white space inside a
        # character only if another thread overwrites the text, but even then the numbers of starts and ends must agree.
        lead = ~blocks[b].continuation
        start = words & (lead & (before | after << 1 | alone_carry) | space << 1 | space_carry)
        end = (space | start) & (words << 1 | word_carry)
        blocks[b].start = start
        blocks[b].end = end
        count += <size_t>fb_count_bits(start)
        space_carry = space >> (BLOCK - 1)
        alone_carry = after >> (BLOCK - 1)
        digit_carry = digit >> (BLOCK - 1)
        word_carry = words >> (BLOCK - 1)
    return count


cdef inline size_t find_characters(size_t n_blocks, fb_block* blocks) noexcept nogil:
    """Set the bits where characters other than white space start and end; return the number of these characters."""
    cdef size_t b, count = 0
    cdef uint64_t word_carry = 0, space_carry = 1, space, words
    for b in range(n_blocks):
        space = blocks[b].space
        words = ~space
        # A token starts after white space even inside a character, so that there are as many starts as ends.
        blocks[b].start = words & (~blocks[b].continuation | space << 1 | space_carry)
        space_carry = space >> (BLOCK - 1)
        blocks[b].end = (blocks[b].space | blocks[b].start) & (words << 1 | word_carry)
        word_carry = words >> (BLOCK - 1)
        count += <size_t>fb_count_bits(blocks[b].start)
    return count


cdef Py_ssize_t tokenize_text(
    int tokenizer, const uint8_t* text, size_t length, const uint8_t* readable_end, Spans* spans
) except -1 nogil:
    """Find the tokens of one segment; return the number of tokens.

    The spans are offsets from `spans.base`, which is valid as long as the text and the arena do not move.

    Args:
        tokenizer: The number of a tokenizer.
        text: The segment in UTF-8, with lone surrogates as three bytes.
        length: The size of the text in bytes, below 2**31.
        readable_end: The end of the readable memory that contains the text. If too few bytes follow the text, it is
            copied to the arena.
        spans: Receives the spans. Its arena must have a free capacity of length + 2 * BLOCK bytes.
    """
    cdef size_t n_blocks, b, count, tail
    cdef const Rules* rules = &RULES[tokenizer]
    cdef bint rewrite = False, has_leads = False
    cdef uint8_t* copy
    cdef fb_block* blocks
    if not rules.takes_spaces:
        length = fb_rstrip(text, length)
    spans.base = text
    if length == 0:
        return 0
    if rules.strips_start:
        # After fb_rstrip, the text contains a character that is not a space. Test `length` nevertheless: if the text is
        # in a file that is mapped into memory, another process may have overwritten it since.
        while length and (fb_ascii_space(text[0]) or fb_non_ascii_space(text)):
            b = 1 if fb_ascii_space(text[0]) else <size_t>fb_non_ascii_space(text)
            text += b
            length -= min(b, length)
        spans.base = text
    n_blocks = (length + BLOCK - 1) // BLOCK
    if readable_end - text < <Py_ssize_t>(n_blocks * BLOCK + KEY_READ):
        copy = spans.arena + spans.arena_used
        memcpy(copy, text, length)
        memset(copy + length, 0, n_blocks * BLOCK + KEY_READ - length)
        spans.arena_used += n_blocks * BLOCK + KEY_READ
        text = spans.base = copy
    elif readable_end - text >= <Py_ssize_t>(FETCHED_AHEAD + n_blocks * BLOCK):
        fb_fetch(text + FETCHED_AHEAD, n_blocks * BLOCK)
    reserve(<void**>&spans.blocks, n_blocks + 1, sizeof(fb_block))
    blocks = spans.blocks
    classify(text, n_blocks, rules.classes, blocks)
    check_after(length)
    if rules.rewrites:
        for b in range(n_blocks):
            rewrite |= blocks[b].rewrite != 0
        if rewrite:
            copy = <uint8_t*>text
            if copy < spans.arena or copy >= spans.arena + spans.arena_used:
                copy = spans.arena + spans.arena_used
                memcpy(copy, text, length)
                spans.arena_used += n_blocks * BLOCK + KEY_READ
            length = fb_rewrite_13a(copy, length)
            check_after(length)
            n_blocks = (length + BLOCK - 1) // BLOCK
            memset(copy + length, 0, n_blocks * BLOCK + KEY_READ - length)
            text = spans.base = copy
            classify(text, n_blocks, rules.classes, blocks)
    if length == 0:
        return 0
    # Classify the bytes between the end of the text and the end of the last block as white space.
    tail = length % BLOCK
    if tail:
        b = n_blocks - 1
        blocks[b].space &= (<uint64_t>1 << tail) - 1
        blocks[b].alone &= (<uint64_t>1 << tail) - 1
        blocks[b].joint &= (<uint64_t>1 << tail) - 1
        blocks[b].digit &= (<uint64_t>1 << tail) - 1
        blocks[b].hyphen &= (<uint64_t>1 << tail) - 1
        blocks[b].lead &= (<uint64_t>1 << tail) - 1
        blocks[b].continuation &= (<uint64_t>1 << tail) - 1
        blocks[b].space |= ~((<uint64_t>1 << tail) - 1)
    memset(&blocks[n_blocks], 0, sizeof(fb_block))
    for b in range(n_blocks):
        has_leads |= blocks[b].lead != 0
    if has_leads:
        rules.classify_non_ascii(text, n_blocks, blocks)
    check_after(length)
    if rules.takes_characters:
        count = find_characters(n_blocks, blocks)
    else:
        count = find_tokens(rules.pads, length, n_blocks, blocks)
    check_after(length)
    reserve(<void**>&spans.starts, count + <size_t>FB_LIST_SLACK, sizeof(uint32_t))
    reserve(<void**>&spans.ends, count + <size_t>FB_LIST_SLACK, sizeof(uint32_t))
    list_bits(&blocks[0].start, n_blocks, spans.starts)
    check_after(length)
    list_bits(&blocks[0].end, n_blocks, spans.ends)
    if count and not tail and not blocks[n_blocks - 1].space >> (BLOCK - 1):
        spans.ends[count - 1] = <uint32_t>length
    if rules.splits_punctuation:
        b = count
        count = fb_count_chrf_words(spans.base, spans.starts, spans.ends, b)
        grow(<void**>&spans.starts, count, sizeof(uint32_t))
        grow(<void**>&spans.ends, count, sizeof(uint32_t))
        check_after(length)
        fb_split_chrf_words(spans.base, spans.starts, spans.ends, b, count)
    return <Py_ssize_t>count


def tokenize(text, int tokenizer, bint lowercase=False):
    """Return the tokens of one segment as a list of str.

    Args:
        text: The segment, a str. White space at its end is removed first, except for TOKENIZE_EVERY_CHAR.
        tokenizer: The number of a tokenizer.
        lowercase: Apply str.lower() first.

    Raises:
        TypeError: `text` is not a str.
        ValueError: There is no tokenizer with that number.

    Example:
        >>> tokenize("It rained, 1.5 inches.", TOKENIZE_13A)
        ['It', 'rained', ',', '1.5', 'inches', '.']
    """
    cdef TextColumn column = text_column([text], "text", lowercase, False)
    cdef Spans spans
    cdef Py_ssize_t count, i
    cdef size_t length = <size_t>column.view.ends[0]
    cdef list tokens = []
    if not 0 <= tokenizer < TOKENIZERS:
        raise ValueError(f"tokenizer must be in 0..{TOKENIZERS - 1}, not {tokenizer}")
    memset(&spans, 0, sizeof(Spans))
    try:
        reset_arena(&spans, length + 3 * BLOCK)
        count = tokenize_text(tokenizer, column.view.data, length, column.view.readable_end, &spans)
        for i in range(count):
            check_signals(<size_t>i)
            tokens.append(PyUnicode_DecodeUTF8(
                <const char*>spans.base + spans.starts[i], spans.ends[i] - spans.starts[i], "surrogatepass"))
        return tokens
    finally:
        free_spans(&spans)
