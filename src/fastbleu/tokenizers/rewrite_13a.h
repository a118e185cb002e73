/* The first part of mteval-v13a.pl, which removes, joins and unescapes before tokens are found. */
#ifndef FASTBLEU_REWRITE_13A_H
#define FASTBLEU_REWRITE_13A_H

#include <stdint.h>
#include <string.h>

/* str.replace in place, for replacements that are not longer. Returns the new length. */
static size_t fb_replace_all(uint8_t *text, size_t length, const char *old, const char *replacement)
{
    const size_t old_length = strlen(old), new_length = strlen(replacement);
    size_t read = 0, write = 0;
    while (read < length) {
        const uint8_t *found = memchr(text + read, old[0], length - read);
        size_t kept = (found ? (size_t)(found - text) : length) - read;
        if (write != read)
            memmove(text + write, text + read, kept);
        read += kept;
        write += kept;
        if (!found)
            break;
        if (length - read >= old_length && memcmp(found, old, old_length) == 0) {
            memcpy(text + write, replacement, new_length);
            read += old_length;
            write += new_length;
        } else {
            text[write++] = text[read++];
        }
    }
    return write;
}

/* Rewrites a text in place. Returns its new length. */
static size_t fb_rewrite_13a(uint8_t *text, size_t length)
{
    static const char *const rules[][2] = {
        {"<skipped>", ""}, {"-\n", ""}, {"\n", " "}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        length = fb_replace_all(text, length, rules[k][0], rules[k][1]);
    return length;
}

#endif
