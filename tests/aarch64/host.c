/* Runs code that xfjit has generated for AArch64, under qemu-user or on a machine.
 *
 *     host CASES RESULTS
 *
 * CASES holds programs with all of their data, RESULTS receives what they have written; main.rs writes the one and
 * reads the other (container.rs describes both). The sizes and offsets of what generated code sees come from
 * layout.h, which the test prints from xfjit_runtime::state, so none of them is written here.
 *
 * Every block that the code may touch ends where an inaccessible page begins.
 */
#include "layout.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* FPCR (Arm ARM, C5.2.8): rounding mode, flush to zero, default NaN, traps. */
#define FPCR_RMODE 22
#define FPCR_FZ (UINT64_C(1) << 24)
#define FPCR_DN (UINT64_C(1) << 25)
#define FPCR_TRAPS UINT64_C(0x9f00)
#define FPSR_FLAGS UINT64_C(0x9f)
/* What callers may have set before: all rounding modes, with and without the others. */
#define CALLERS 32

typedef uint64_t entry(void *context, void *io, uint64_t first, uint64_t end);

static FILE *cases, *results;

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

static uint64_t get(void)
{
    uint64_t word;
    if (fread(&word, sizeof word, 1, cases) != 1)
        fail("the cases end too early");
    return word;
}

static void get_bytes(void *to, size_t bytes)
{
    if (bytes && fread(to, bytes, 1, cases) != 1)
        fail("the cases end too early");
}

static void put(uint64_t word)
{
    if (fwrite(&word, sizeof word, 1, results) != 1)
        fail("writing results");
}

static void put_bytes(const void *from, size_t bytes)
{
    if (bytes && fwrite(from, bytes, 1, results) != 1)
        fail("writing results");
}

/* A zeroed block of memory with an inaccessible page behind it. */
struct block {
    unsigned char *base, *mapping;
    size_t mapped;
};

static struct block block(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t whole = (bytes + page - 1) / page * page;
    struct block b = { .mapped = whole + page };
    b.mapping = mmap(NULL, b.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b.mapping == MAP_FAILED || mprotect(b.mapping + whole, page, PROT_NONE))
        fail("mapping memory");
    b.base = b.mapping + whole - bytes;
    return b;
}

static void release(struct block b)
{
    if (munmap(b.mapping, b.mapped))
        fail("unmapping memory");
}

static void set_pointer(unsigned char *at, const void *pointer)
{
    memcpy(at, &pointer, sizeof pointer);
}

static void set_stream(unsigned char *stream, void *base, uint64_t stride)
{
    set_pointer(stream + STREAM_BASE, base);
    memcpy(stream + STREAM_STRIDE, &stride, sizeof stride);
}

struct environment {
    uint64_t fpcr, fpsr;
};

static struct environment environment(void)
{
    struct environment e;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(e.fpcr), "=r"(e.fpsr) : : "memory");
    return e;
}

static void set_environment(struct environment e)
{
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(e.fpcr), "r"(e.fpsr) : "memory");
}

/* One of the environments in which callers may be. qemu has no traps: their bits read as zero there. */
static struct environment caller(uint64_t number)
{
    struct environment e = { (number & 3) << FPCR_RMODE, number & 4 ? FPSR_FLAGS : 0 };
    if (number & 4)
        e.fpcr |= FPCR_FZ;
    if (number & 8)
        e.fpcr |= FPCR_DN;
    if (number & 16)
        e.fpcr |= FPCR_TRAPS;
    return e;
}

/* Calls the code as xfjit_runtime::fpenv does: whatever the caller has set, the code gets its environment (the values
 * are those of the runtime, by way of layout.h), and the caller its own back. */
static uint64_t call(entry *code, uint64_t fpcr, void *context, void *io, uint64_t first, uint64_t end)
{
    static uint64_t number;
    struct environment mine = { fpcr, 0 }, saved, after;
    set_environment(caller(number++ % CALLERS));
    saved = environment();
    set_environment(mine);
    uint64_t status = code(context, io, first, end);
    after = environment();
    set_environment(saved);
    struct environment restored = environment();
    set_environment((struct environment){ 0, 0 });
    if (after.fpcr != fpcr || restored.fpcr != saved.fpcr || restored.fpsr != saved.fpsr) {
        fputs("FPCR or FPSR is not what it should be\n", stderr);
        exit(2);
    }
    return status;
}

/* Which vertices the lanes of a call of so many have (xfjit_runtime::state::Io::share). */
static void share(unsigned char *io, uint64_t vertices)
{
    uint64_t near = vertices > 1, far = vertices > 3 ? 2 : vertices == 3;
    memcpy(io + IO_NEAR, &near, sizeof near);
    memcpy(io + IO_FAR, &far, sizeof far);
}

static void run_case(const void *lookup)
{
    uint64_t code_bytes = get(), truncate = get(), serial = get(), vertices = get(), most = get(), rows = get();
    uint64_t inputs = get(), lists = get(), outputs = get(), output_bytes = get();

    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t code_mapped = (code_bytes + page - 1) / page * page;
    void *code = mmap(NULL, code_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        fail("mapping code");
    get_bytes(code, code_bytes);
    if (mprotect(code, code_mapped, PROT_READ | PROT_EXEC))
        fail("making code executable");
    __builtin___clear_cache((char *)code, (char *)code + code_bytes);

    struct block context = block(CONTEXT_SIZE), scratch = block(SCRATCH_SIZE), io = block(IO_SIZE);
    struct block input[IO_INPUTS], list[IO_LISTS], output = block(output_bytes);
    get_bytes(context.base + CONTEXT_ROWS, rows * ROW_SIZE);
    set_pointer(io.base + IO_SCRATCH, scratch.base);
    set_pointer(io.base + IO_LOOKUP, lookup);
    for (uint64_t i = 0; i < inputs; i++) {
        uint64_t reg = get(), stride = get(), bytes = get();
        input[i] = block(bytes);
        get_bytes(input[i].base, bytes);
        set_stream(io.base + IO_INPUT + reg * STREAM_SIZE, input[i].base, stride);
    }
    for (uint64_t i = 0; i < lists; i++) {
        uint64_t number = get(), bytes = get();
        list[i] = block(bytes);
        get_bytes(list[i].base, bytes);
        set_pointer(io.base + IO_INDEX + number * sizeof(void *), list[i].base);
    }
    for (uint64_t i = 0; i < outputs; i++) {
        uint64_t reg = get(), offset = get(), stride = get();
        set_stream(io.base + IO_OUTPUT + reg * STREAM_SIZE, output.base + offset, stride);
    }

    /* Of each group that was left undone its first vertex, and the one behind it. */
    uint64_t *undone = malloc((vertices + 1) * 2 * sizeof *undone), groups = 0, next = 0;
    while (next < vertices) {
        uint64_t end = vertices - next > most ? next + most : vertices;
        share(io.base, end - next);
        uint64_t status = call((entry *)code, truncate ? FPCR_TRUNCATE : FPCR_DEFAULT, context.base, io.base, next, end);
        if (status < next || (status > end + LANES && status != ALL_GUARDED)) {
            fprintf(stderr, "status %llu of vertices %llu to %llu\n", (unsigned long long)status,
                    (unsigned long long)next, (unsigned long long)end);
            exit(2);
        }
        int is_all = status == ALL_GUARDED;
        next = is_all ? vertices : status < end && end - status > LANES ? status + LANES : end;
        if (is_all || status < end) {
            undone[2 * groups] = is_all ? 0 : status;
            undone[2 * groups++ + 1] = next;
            if (serial)
                break;
        }
    }

    put(groups);
    put_bytes(undone, 2 * groups * sizeof *undone);
    put_bytes(output.base, output_bytes);
    put_bytes(context.base + CONTEXT_ROWS, rows * ROW_SIZE);

    free(undone);
    release(context), release(scratch), release(io), release(output);
    for (uint64_t i = 0; i < inputs; i++)
        release(input[i]);
    for (uint64_t i = 0; i < lists; i++)
        release(list[i]);
    if (munmap(code, code_mapped))
        fail("unmapping code");
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    cases = fopen(argv[1], "rb");
    results = fopen(argv[2], "wb");
    if (!cases || !results)
        fail("opening files");
    struct block lookup = block(LOOKUP_SIZE);
    get_bytes(lookup.base, LOOKUP_SIZE);
    for (uint64_t count = get(); count; count--)
        run_case(lookup.base);
    if (fclose(results))
        fail("writing results");
    return 0;
}
