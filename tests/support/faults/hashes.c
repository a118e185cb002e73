/* Probes that look-ups in the tables of hashing.h take. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "_native/hashing.h"

/* Puts keys with these homes into an empty table; returns probes for each key. */
static double probes(const size_t *homes, size_t keys, size_t mask, uint8_t *used)
{
    size_t found = 0;
    memset(used, 0, mask + 1);
    for (size_t k = 0; k < keys; k++) {
        size_t slot = homes[k];
        while (used[slot]) {
            slot = (slot + 1) & mask;
            found++;
        }
        used[slot] = 1;
        found++;
    }
    return (double)found / (double)keys;
}

double probes_of_tokens(
    const uint64_t *low, const uint64_t *high, size_t keys, size_t slots, uint64_t first, uint64_t second, size_t *homes,
    uint8_t *used)
{
    fb_seeds seeds = {first, second};
    for (size_t k = 0; k < keys; k++) {
        fb_key key = {low[k], high[k]};
        homes[k] = fb_home(key, slots - 1, seeds);
    }
    return probes(homes, keys, slots - 1, used);
}

/* Texts of `length` bytes each, one after the other. */
double probes_of_bytes(
    const uint8_t *texts, size_t length, size_t keys, size_t slots, uint64_t first, uint64_t second, size_t *homes,
    uint8_t *used)
{
    fb_seeds seeds = {first, second};
    for (size_t k = 0; k < keys; k++)
        homes[k] = fb_home(fb_long_key(fb_hash_bytes(texts + k * length, length, seeds), length), slots - 1, seeds);
    return probes(homes, keys, slots - 1, used);
}

double probes_of_ngrams(
    const uint64_t *ngrams, const uint64_t *unused, size_t keys, size_t slots, uint64_t first, uint64_t second,
    size_t *homes, uint8_t *used)
{
    fb_seeds seeds = {first, second};
    (void)unused;
    for (size_t k = 0; k < keys; k++)
        homes[k] = fb_ngram_home(ngrams[k], slots - 1, seeds);
    return probes(homes, keys, slots - 1, used);
}
