/* Makes chosen allocations fail, and counts the blocks that are held. Loaded with LD_PRELOAD; needs glibc.
 *
 * Two kinds are told apart: what Python's allocators are asked for, and what the modules of fastbleu ask of malloc. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

enum { PYTHON, MODULES, KINDS };

static struct {
    long asked, first, last; /* counted from 1; those from `first` to `last` fail */
    long held;
} kinds[KINDS];
static int armed = -1;

static int fails(int kind)
{
    if (armed != kind)
        return 0;
    kinds[kind].asked++;
    return kinds[kind].first <= kinds[kind].asked && kinds[kind].asked <= kinds[kind].last;
}

/* --- malloc, called by modules of fastbleu --- */

static struct { uintptr_t start, end; } code[1024];
static int n_code;

static int add_code(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (info->dlpi_name == NULL || strstr(info->dlpi_name, "/fastbleu/") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X && n_code < 1024) {
            code[n_code].start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            code[n_code].end = code[n_code].start + info->dlpi_phdr[i].p_memsz;
            n_code++;
        }
    return 0;
}

static int is_of_modules(void *caller)
{
    for (int i = 0; i < n_code; i++)
        if (code[i].start <= (uintptr_t)caller && (uintptr_t)caller < code[i].end)
            return 1;
    return 0;
}

void *malloc(size_t size)
{
    if (n_code == 0 || !is_of_modules(__builtin_return_address(0)))
        return __libc_malloc(size);
    if (fails(MODULES))
        return errno = ENOMEM, NULL;
    kinds[MODULES].held++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (n_code == 0 || !is_of_modules(__builtin_return_address(0)))
        return __libc_calloc(count, size);
    if (fails(MODULES))
        return errno = ENOMEM, NULL;
    kinds[MODULES].held++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    if (n_code == 0 || !is_of_modules(__builtin_return_address(0)))
        return __libc_realloc(block, size);
    if (fails(MODULES))
        return errno = ENOMEM, NULL;
    kinds[MODULES].held += block == NULL;
    return __libc_realloc(block, size);
}

void free(void *block)
{
    if (n_code != 0 && block != NULL && is_of_modules(__builtin_return_address(0)))
        kinds[MODULES].held--;
    __libc_free(block);
}

/* --- Python's allocators --- */

typedef struct {
    void *context;
    void *(*malloc)(void *, size_t);
    void *(*calloc)(void *, size_t, size_t);
    void *(*realloc)(void *, void *, size_t);
    void (*free)(void *, void *);
} Allocator; /* PyMemAllocatorEx */

#define DOMAINS 3
static Allocator below[DOMAINS];

static void *python_malloc(void *context, size_t size)
{
    Allocator *own = context;
    void *block = fails(PYTHON) ? NULL : own->malloc(own->context, size);
    kinds[PYTHON].held += block != NULL;
    return block;
}

static void *python_calloc(void *context, size_t count, size_t size)
{
    Allocator *own = context;
    void *block = fails(PYTHON) ? NULL : own->calloc(own->context, count, size);
    kinds[PYTHON].held += block != NULL;
    return block;
}

static void *python_realloc(void *context, void *old, size_t size)
{
    Allocator *own = context;
    void *block = fails(PYTHON) ? NULL : own->realloc(own->context, old, size);
    kinds[PYTHON].held += block != NULL && old == NULL;
    return block;
}

static void python_free(void *context, void *block)
{
    Allocator *own = context;
    kinds[PYTHON].held -= block != NULL;
    own->free(own->context, block);
}

/* Begins to count; to be called when all modules are loaded. */
int watch(void)
{
    void (*get)(int, Allocator *) = (void (*)(int, Allocator *))dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    void (*set)(int, Allocator *) = (void (*)(int, Allocator *))dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    dl_iterate_phdr(add_code, NULL);
    if (get == NULL || set == NULL || n_code == 0)
        return -1;
    for (int domain = 0; domain < DOMAINS; domain++) {
        Allocator hook = {&below[domain], python_malloc, python_calloc, python_realloc, python_free};
        get(domain, &below[domain]);
        set(domain, &hook);
    }
    return n_code;
}

long held(int kind) { return kinds[kind].held; }

long asked(int kind) { return kinds[kind].asked; }

/* Calls a Python callable, and lets those allocations of one kind fail that come from the first to the last. */
void *call_with_failures(void *callable, int kind, long first, long last)
{
    static void *(*call)(void *);
    void *result;
    if (call == NULL)
        call = (void *(*)(void *))dlsym(RTLD_DEFAULT, "PyObject_CallNoArgs");
    kinds[kind].asked = 0;
    kinds[kind].first = first;
    kinds[kind].last = last;
    armed = kind;
    result = call(callable);
    armed = -1;
    return result;
}
