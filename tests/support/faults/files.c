/* Makes chosen reads and writes of files in one folder fail, or end early. Loaded with LD_PRELOAD; needs Linux. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { READS, WRITES };
enum { COUNT_ONLY = 0, SHORT = -1 }; /* or the errno of the failure */

/* Shared with children, whose calls are counted. */
static struct {
    long calls;
    char hit[4096]; /* the file whose call was chosen last */
} *shared;

static char folder[4096];
static int armed_kind = -1, fault;
static long first, last; /* counted from 1; those from `first` to `last` fail */

/* Whether this call on a file is one that is to fail. */
static int chosen(int kind, int descriptor)
{
    char link[64], path[4096];
    ssize_t length;
    if (armed_kind != kind)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    if (strncmp(path, folder, strlen(folder)) != 0)
        return 0;
    shared->calls++;
    if (fault == COUNT_ONLY || shared->calls < first || last < shared->calls)
        return 0;
    strcpy(shared->hit, path);
    return 1;
}

#define NEXT(name, type) \
    static type next; \
    if (next == NULL) \
        next = (type)dlsym(RTLD_NEXT, name);

#define FAIL_OR_SHORTEN(kind, descriptor, size) \
    if (chosen(kind, descriptor)) { \
        if (fault != SHORT) \
            return errno = fault, -1; \
        size = (size + 1) / 2; \
    }

typedef ssize_t (*reader)(int, void *, size_t);
typedef ssize_t (*writer)(int, const void *, size_t);
typedef ssize_t (*reader_at)(int, void *, size_t, off_t);
typedef ssize_t (*writer_at)(int, const void *, size_t, off_t);

ssize_t read(int descriptor, void *data, size_t size)
{
    NEXT("read", reader)
    FAIL_OR_SHORTEN(READS, descriptor, size)
    return next(descriptor, data, size);
}

ssize_t pread(int descriptor, void *data, size_t size, off_t at)
{
    NEXT("pread", reader_at)
    FAIL_OR_SHORTEN(READS, descriptor, size)
    return next(descriptor, data, size, at);
}

ssize_t pread64(int descriptor, void *data, size_t size, off64_t at)
{
    NEXT("pread64", reader_at)
    FAIL_OR_SHORTEN(READS, descriptor, size)
    return next(descriptor, data, size, at);
}

ssize_t write(int descriptor, const void *data, size_t size)
{
    NEXT("write", writer)
    FAIL_OR_SHORTEN(WRITES, descriptor, size)
    return next(descriptor, data, size);
}

ssize_t pwrite(int descriptor, const void *data, size_t size, off_t at)
{
    NEXT("pwrite", writer_at)
    FAIL_OR_SHORTEN(WRITES, descriptor, size)
    return next(descriptor, data, size, at);
}

ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t at)
{
    NEXT("pwrite64", writer_at)
    FAIL_OR_SHORTEN(WRITES, descriptor, size)
    return next(descriptor, data, size, at);
}

/* To be called before a fork; the child inherits all. */
int arm(const char *in_folder, int kind, int how, long from, long to)
{
    if (shared == NULL) {
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED)
            return -1;
    }
    snprintf(folder, sizeof folder, "%s", in_folder);
    shared->calls = 0;
    shared->hit[0] = 0;
    fault = how;
    first = from;
    last = to;
    armed_kind = kind;
    return 0;
}

void disarm(void) { armed_kind = -1; }

long calls(void) { return shared->calls; }

const char *hit(void) { return shared->hit; }
