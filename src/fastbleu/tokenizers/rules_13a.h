/* The rules of mteval-v13a.pl: its initial rewriting, its classes of ASCII bytes, and its rule for hyphens.
 *
 * sacreBLEU's zh and mteval-v11 have the same classes and the same hyphen, and rewrite nothing. */
#ifndef FASTBLEU_RULES_13A_H
#define FASTBLEU_RULES_13A_H

#include "tokenizers/scan.h"

/* Replace every occurrence of `old` in place, as str.replace does; `replacement` must not be longer. Return the new
 * length in bytes. */
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

/* Remove, join and unescape in place, as the first part of the script does. Return the new length in bytes. */
static size_t fb_rewrite_13a(uint8_t *text, size_t length)
{
    static const char *const rules[][2] = {
        {"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        length = fb_replace_all(text, length, rules[k][0], rules[k][1]);
    return length;
}

/* Return the class of an ASCII byte, by s/([\{-\~\[-\` -\&\(-\+\:-\@\/])/ $1 /g and the rules for "." and "," next to
 * digits and for "-" after a digit; with FB_REWRITE where fb_rewrite_13a may match, at <skipped>, an entity or
 * the end of a line. */
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

/* Return the hyphens of a block that are tokens of their own: s/([0-9])(-)/$1 $2 /g. `digit_carry` is the lowest bit if
 * the block before ends in a digit. */
FB_INLINE uint64_t fb_lone_hyphens(uint64_t hyphen, uint64_t digit, uint64_t digit_carry)
{
    return hyphen & (digit << 1 | digit_carry);
}

#endif
