/* The functions that have several ways, each callable by its level of instructions: for test_vectors.py. */
#include "_native/utf8.h"
#include "inputs/encode.h"
#include "tokenizers/scan.h"

#ifdef _WIN32
#define DOOR __declspec(dllexport)
#else
#define DOOR __attribute__((visibility("default")))
#endif

DOOR int cpu_level(void);
DOOR void classify(int level, const uint8_t *text, size_t blocks, const uint8_t *table, fb_block *out);
DOOR void list_bits(int level, const uint64_t *words, size_t blocks, uint32_t *out);
DOOR size_t encode(int level, int width, const void *characters, size_t length, uint8_t *out);
DOOR size_t find_invalid(int level, const uint8_t *text, size_t length);
DOOR unsigned equal_ends(int level, const uint32_t *a, const uint32_t *b);

int cpu_level(void) { return fb_cpu_level(); }

void classify(int level, const uint8_t *text, size_t blocks, const uint8_t *table, fb_block *out)
{
    fb_classifier classifier;
    fb_lister lister;
    fb_choose_scanners(level, &classifier, &lister);
    classifier(text, blocks, table, out);
}

void list_bits(int level, const uint64_t *words, size_t blocks, uint32_t *out)
{
    fb_classifier classifier;
    fb_lister lister;
    fb_choose_scanners(level, &classifier, &lister);
    lister(words, blocks, out);
}

size_t encode(int level, int width, const void *characters, size_t length, uint8_t *out)
{
    return (size_t)(fb_choose_encoders(level)[width / 2](characters, length, out) - out);
}

size_t find_invalid(int level, const uint8_t *text, size_t length)
{
    return fb_find_invalid_utf8_by(level, text, length);
}

unsigned equal_ends(int level, const uint32_t *a, const uint32_t *b)
{
    return level == FB_PORTABLE ? fb_equal_ends_portable(a, b) : fb_equal_ends(a, b);
}
