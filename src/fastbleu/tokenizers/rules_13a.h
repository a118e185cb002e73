/* The rules of mteval-v13a.pl: how it rewrites text first, its classes of ASCII bytes, and its rule for hyphens.
 *
 * sacreBLEU's zh and mteval-v11 have the same classes and the same rule for hyphens, but do not rewrite text. */
#ifndef FASTBLEU_RULES_13A_H
#define FASTBLEU_RULES_13A_H

#include "tokenizers/scan.h"

/* Replace every occurrence of `old` in place, like str.replace. `replacement` must not be longer than `old`. Return the
 * new length of the text in bytes. */
static size_t fb_replace_all(uint8_t *text, size_t length, const char *old, const char *replacement)
{
    const size_t old_length = strlen(old), new_length = strlen(replacement);
    size_t read = 0, write = 0;
    while (read < length) {
        const uint8_t *match = memchr(text + read, old[0], length - read);
        size_t kept = (match ? (size_t)(match - text) : length) - read;
        if (write != read)
            memmove(text + write, text + read, kept);
        read += kept;
        write += kept;
        if (!match)
            break;
        if (length - read >= old_length && memcmp(match, old, old_length) == 0) {
            memcpy(text + write, replacement, new_length);
            read += old_length;
            write += new_length;
        } else {
            text[write++] = text[read++];
        }
    }
    return write;
}

/* Apply the first part of the script in place: remove "<skipped>", join lines, and unescape entities. Return the new
 * length of the text in bytes. */
static size_t fb_rewrite_13a(uint8_t *text, size_t length)
{
    static const char *const rules[][2] = {
        {"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        length = fb_replace_all(text, length, rules[k][0], rules[k][1]);
    return length;
}

/* Return the class of an ASCII byte, according to the script's s/([\{-\~\[-\` -\&\(-\+\:-\@\/])/ $1 /g and its rules
 * for "." and "," next to digits and for "-" after a digit. The class includes FB_REWRITE if fb_rewrite_13a may replace
 * text that begins with the byte: "<skipped>", an entity, or a line break. */
FB_INLINE uint8_t fb_class_13a(int byte)
{
    const uint8_t rewrite = byte == '<' || byte == '&' || byte == '\n' ? FB_REWRITE : 0;
    if (('{' <= byte && byte <= '~') || ('[' <= byte && byte <= '`') || ('!' <= byte && byte <= '&') ||
        ('(' <= byte && byte <= '+') || (':' <= byte && byte <= '@') || byte == '/')
        return (uint8_t)(FB_ALONE | rewrite);
    if (byte == '.' || byte == ',')
        return FB_JOINT;
    if (byte == '-')
        return FB_HYPHEN;
    return '0' <= byte && byte <= '9' ? FB_DIGIT : rewrite;
}

/* Return the hyphens of a block that are separate tokens, by the script's s/([0-9])(-)/$1 $2 /g. `digit_carry` is 1 if
 * the previous block ends in a digit, otherwise 0. */
FB_INLINE uint64_t fb_lone_hyphens(uint64_t hyphen, uint64_t digit, uint64_t digit_carry)
{
    return hyphen & (digit << 1 | digit_carry);
}

#endif
