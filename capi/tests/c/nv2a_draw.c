/* Draws of the Xbox (examples/nv2a_draw.h) of a hostile guest: arrays and indices beyond its memory, formats that nobody knows, draws of
 * nothing and of too much. The guest's memory, the vertex buffer and the index buffer end where pages do that nobody may touch. */
#define _DEFAULT_SOURCE
#include <sys/mman.h>

#include "nv2a_draw.h"

#include "check.h"

enum { PAGE = 4096, GUEST = 4 * PAGE, VERTICES = 16 * PAGE, INDICES = PAGE };

static nv2a device;
static nv2a_drawn drawn;
static unsigned char *guest[2];

/* Memory between two pages that are not there. */
static unsigned char *fenced(size_t bytes) {
    unsigned char *all = (unsigned char *)mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED);
    CHECK(mprotect(all + PAGE, bytes, PROT_READ | PROT_WRITE) == 0);
    return all + PAGE;
}

static int method(uint32_t number, uint32_t word) { return nv2a_method(&device, number, word, &drawn); }

static const char *last_error(void) {
    static char text[300];
    xfjit_last_error(text, sizeof text);
    return text;
}

/* Array 0 alone, as these registers say. */
static void only(uint32_t format, uint32_t offset) {
    uint32_t at;
    for (at = 0; at < NV2A_ATTRIBUTES; at++)
        method(0x1760 + 4 * at, 2);
    method(0x1760, format);
    method(0x1720, offset);
}

/* A draw of so many vertices from one on. */
static int range(uint32_t first, uint32_t count) {
    method(0x17fc, 1);
    for (; count > 256; first += 256, count -= 256)
        method(0x1810, 255u << 24 | first);
    if (count) method(0x1810, (count - 1) << 24 | first);
    return method(0x17fc, 0);
}

static int indexed(uint32_t index) {
    method(0x17fc, 5);
    method(0x1800, 0);
    method(0x1808, index);
    return method(0x17fc, 0);
}

/* Three floats, a vertex each 12 bytes, at the end of the guest's memory. */
enum { FLOATS = 12 << 8 | 0x32, FIT = GUEST / 12 };

/* What leaves is what the program makes of the vertices that are named, and of an attribute without an array. */
static void test_values(void) {
    static const uint32_t list[] = {4, 2, 4, 0};
    uint32_t at, component;
    fill_constants((float (*)[4])device.constants);
    only(64 << 8 | 0x42, 0);
    method(0x17fc, 6);
    for (at = 0; at < 4; at++)
        method(0x1808, list[at]);
    for (at = 0; at < 5; at++) {
        float in[16][4];
        fill_vertex(in, (int)at);
        memcpy(guest[0] + 64 * at, in[0], 16);
    }
    for (component = 0; component < 4; component++) {
        float half = 0.5f * (float)component;
        uint32_t word;
        memcpy(&word, &half, 4);
        method(0x1a00 + 16 * 3 + 4 * component, word);
    }
    CHECK(method(0x17fc, 0) == NV2A_DRAWN && drawn.primitive == 6 && drawn.count == 4 && drawn.stored == 3 && drawn.stride == 32);
    for (at = 0; at < 4; at++) {
        float in[16][4], position[4], colour[4];
        const unsigned char *vertex = device.vertices + device.indices[at] * drawn.stride;
        fill_vertex(in, (int)list[at]);
        for (component = 0; component < 4; component++)
            in[3][component] = 0.5f * (float)component;
        expected(in, (float (*)[4])device.constants, position, colour);
        CHECK(memcmp(vertex + nv2a_where(&device, XFJIT_KELVIN_OPOS), position, 16) == 0);
        CHECK(memcmp(vertex + nv2a_where(&device, XFJIT_KELVIN_OD0), colour, 16) == 0);
    }
    CHECK(nv2a_where(&device, XFJIT_KELVIN_OD1) == -1 && memcmp(device.current[0], guest[0], 16) == 0);
}

static void test_memory(void) {
    uint32_t before[NV2A_ATTRIBUTES][4], object;
    for (object = 0; object < 2; object++) {
        only(FLOATS, object << 31 | (GUEST - 12 * 100));
        CHECK(range(0, 100) == NV2A_DRAWN && drawn.count == 100 && drawn.stored == 100 && !drawn.is_indexed);
        CHECK(range(99, 1) == NV2A_DRAWN && indexed(99) == NV2A_DRAWN && drawn.is_indexed && device.indices[2] == 1);
        CHECK(memcmp(device.current[0], guest[object] + GUEST - 12, 12) == 0);
        /* One vertex more; one byte more; the greatest index; attributes stay as they are. */
        memcpy(before, device.current, sizeof before);
        CHECK(range(0, 101) == NV2A_OUTSIDE && strstr(last_error(), "v0") != NULL);
        CHECK(range(100, 1) == NV2A_OUTSIDE && range(0xffffff, 256) == NV2A_OUTSIDE);
        CHECK(indexed(100) == NV2A_OUTSIDE && indexed(0xffffffff) == NV2A_OUTSIDE && strstr(last_error(), "v0") != NULL);
        only(FLOATS, object << 31 | (GUEST - 12 * 100 + 1));
        CHECK(range(0, 100) == NV2A_OUTSIDE && range(0, 99) == NV2A_DRAWN);
        memcpy(before, device.current, sizeof before);
        only(FLOATS, object << 31 | GUEST);
        CHECK(range(0, 1) == NV2A_OUTSIDE);
        only(FLOATS, object << 31 | 0x7fffffff);
        CHECK(range(0, 1) == NV2A_OUTSIDE && memcmp(before, device.current, sizeof before) == 0);
        /* The greatest stride, and none: the same element again and again. */
        only(0xffffff00u | 0x32, object << 31);
        CHECK(range(0, 1) == NV2A_DRAWN && range(0, 2) == NV2A_OUTSIDE && indexed(0xffffff) == NV2A_OUTSIDE);
        only(0x32, object << 31 | (GUEST - 12));
        CHECK(range(77, 1000) == NV2A_DRAWN && indexed(0xffffffff) == NV2A_DRAWN);
        /* An array that the program does not read is one of the draw all the same. */
        only(FLOATS, object << 31);
        method(0x1760 + 4 * 13, 0x25 | 4 << 8);
        method(0x1720 + 4 * 13, object << 31 | (GUEST - 4));
        CHECK(range(0, 1) == NV2A_DRAWN && range(0, 2) == NV2A_OUTSIDE && strstr(last_error(), "v13") != NULL);
        /* No object at all. */
        only(FLOATS, object << 31);
        device.memory[object] = NULL;
        CHECK(range(0, 1) == NV2A_OUTSIDE);
        device.memory[object] = guest[object];
        device.memory_bytes[object] = 0;
        CHECK(range(0, 1) == NV2A_OUTSIDE);
        device.memory_bytes[object] = GUEST;
        CHECK(range(0, FIT) == NV2A_DRAWN);
    }
}

static void test_formats(void) {
    static const uint32_t widths[16] = {1, 2, 4, 0, 1, 2, 4};
    uint32_t type, size;
    for (type = 0; type < 16; type++)
        for (size = 0; size < 16; size++) {
            int is_known = size == 0 || (type == 0 && size == 4) || (type == 6 && size == 1) ||
                ((type == 1 || type == 2 || type == 4 || type == 5) && size <= 4);
            uint32_t bytes = widths[type] * size;
            only(type | size << 4 | 16 << 8, 0);
            CHECK(range(0, 3) == (is_known ? NV2A_DRAWN : NV2A_BAD_FORMAT));
            /* One word is a vertex, if no more is in it. */
            method(0x17fc, 8);
            method(0x1818, 1);
            CHECK(method(0x17fc, 0) == (!is_known ? NV2A_BAD_FORMAT : bytes > 4 || bytes == 0 ? NV2A_NOTHING : NV2A_DRAWN));
        }
}

static void test_draws(void) {
    uint32_t at;
    only(FLOATS, 0);
    /* Of nothing: without vertices, without an end, before there is a beginning, with too few words. */
    CHECK(range(0, 0) == NV2A_NOTHING && method(0x17fc, 0) == NV2A_TAKEN);
    CHECK(method(0x1800, 0x10001) == NV2A_TAKEN && method(0x1818, 1) == NV2A_TAKEN && method(0x17fc, 0) == NV2A_TAKEN);
    method(0x17fc, 5);
    method(0x1818, 1);
    method(0x1818, 2);
    CHECK(method(0x17fc, 0) == NV2A_NOTHING);
    method(0x17fc, 5);
    for (at = 0; at < 7; at++)
        method(0x1818, at);
    CHECK(method(0x17fc, 0) == NV2A_DRAWN && drawn.count == 2 && device.current[0][0] == 3 && device.current[0][2] == 5);
    /* Arrays and lists go together, in their order; words do not. */
    method(0x17fc, 5);
    method(0x1810, 1u << 24 | 7);
    method(0x1808, 3);
    method(0x1810, 1u << 24 | 7);
    CHECK(method(0x17fc, 0) == NV2A_DRAWN && drawn.is_indexed && drawn.count == 5 && drawn.stored == 3);
    CHECK(device.indices[0] == 0 && device.indices[2] == 2 && device.indices[3] == 0 && device.indices[4] == 1);
    method(0x17fc, 5);
    method(0x1808, 3);
    method(0x1818, 3);
    method(0x1810, 3);
    CHECK(method(0x17fc, 0) == NV2A_BAD_MIXTURE && indexed(1) == NV2A_DRAWN);
    method(0x17fc, 5);
    method(0x1810, 3);
    for (at = 0; at < 4; at++)
        method(0x1518 + 4 * at, at);
    CHECK(method(0x17fc, 0) == NV2A_BAD_MIXTURE && device.current[0][3] == 3);
    /* Of too much: for the buffers, and for what is kept. */
    only(0x32, 0);
    CHECK(range(0, VERTICES / 32) == NV2A_DRAWN && range(0, VERTICES / 32 + 1) == NV2A_TOO_LONG);
    device.indices_count = 2;
    CHECK(indexed(1) == NV2A_TOO_LONG);
    device.indices_count = INDICES / 4;
    CHECK(range(0, NV2A_MOST_WORDS + 1) == NV2A_TOO_LONG);
    method(0x17fc, 5);
    for (at = 0; at < NV2A_MOST_WORDS + 10; at++)
        method(0x1808, 0);
    CHECK(device.length == NV2A_MOST_WORDS && method(0x17fc, 0) == NV2A_TOO_LONG && indexed(1) == NV2A_DRAWN);
    CHECK(method(0x1801, 0) == NV2A_OTHER && method(0x1804, 0) == NV2A_OTHER && method(0x1ea0, 0) == NV2A_OTHER);
}

/* Anything, as long as it may be about vertices: each end is one of those that there are, and most of them come. */
static void test_anything(int rounds) {
    static const uint32_t numbers[] = {0, 1, 2, 3, 5, 0x10, 0x31, 0x44, 0x16, 0x22, 0xc32, 0x1025, 0x441, 0x80000000, GUEST - 16, GUEST, 0xffffff, 0xffffffff};
    static const uint32_t methods[] = {0x1500, 0x1518, 0x1720, 0x1760, 0x1880, 0x1a00, 0x17fc, 0x1800, 0x1808, 0x1810, 0x1818};
    static const uint32_t counts[] = {3, 4, 16, 16, 32, 64, 1, 1, 1, 1, 1};
    uint32_t seen[NV2A_FAILED + 1] = {0};
    while (rounds-- > 0) {
        int pick = rand() % 16, result;
        /* Draws more often than arrays. */
        int which = pick < 11 ? pick : pick < 13 ? 6 : pick - 6;
        uint32_t word = rand() % 3 ? numbers[rand() % 18] : (uint32_t)rand() % 64;
        result = method(methods[which] + 4 * ((uint32_t)rand() % counts[which]), which == 6 ? (uint32_t)rand() % 4 / 3 : word);
        CHECK(result > NV2A_OTHER && result <= NV2A_FAILED);
        seen[result]++;
        if (rand() % 64 == 0) only(rand() % 2 ? FLOATS : 0x1044, 0);
    }
    CHECK(seen[NV2A_DRAWN] && seen[NV2A_NOTHING] && seen[NV2A_OUTSIDE] && seen[NV2A_BAD_FORMAT] && seen[NV2A_BAD_MIXTURE]);
    CHECK(seen[NV2A_FAILED] == 0);
}

int main(int count, char **arguments) {
    xfjit_engine *engine;
    xfjit_options options;
    uint32_t way, at;
    (void)arguments;
    for (way = 0; way < 2; way++) {
        memset(&options, 0, sizeof options);
        options.size = (uint32_t)sizeof options;
        options.backend = way ? XFJIT_BACKEND_INTERPRETER : XFJIT_BACKEND_BEST;
        CHECK(xfjit_engine_create(&options, &engine) == XFJIT_OK);
        memset(&device, 0, sizeof device);
        CHECK(xfjit_worker_create(engine, &device.worker) == XFJIT_OK);
        device.config.size = (uint32_t)sizeof device.config;
        CHECK(xfjit_config_init(&device.config, XFJIT_KELVIN) == XFJIT_OK);
        device.config.live_outputs = 1 << XFJIT_KELVIN_OPOS | 1 << XFJIT_KELVIN_OD0;
        memcpy(device.program, TRANSFORM, sizeof TRANSFORM);
        for (at = 0; at < 2; at++) {
            guest[at] = fenced(GUEST);
            device.memory[at] = guest[at];
            device.memory_bytes[at] = GUEST;
            memset(guest[at], 0x35 + (int)at, GUEST);
        }
        device.vertices = fenced(VERTICES);
        device.vertices_bytes = VERTICES;
        device.indices = (uint32_t *)(void *)fenced(INDICES);
        device.indices_count = INDICES / 4;
        test_values();
        test_memory();
        test_formats();
        test_draws();
        test_anything(count > 1 ? 3000 : 60000);
        nv2a_end(&device);
        CHECK(xfjit_worker_destroy(device.worker) == XFJIT_OK);
        CHECK(xfjit_engine_destroy(engine) == XFJIT_OK);
    }
    puts("fine");
    return 0;
}
