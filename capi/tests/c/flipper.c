/* Flipper through C: every function, with results that are exact, and with what is refused. C99 and C++98. */
#include "xfjit.h"

#define CHECK_ALONE
#include "check.h"

/* The big-endian bytes of a word. */
static size_t put(unsigned char *to, uint32_t word) {
    to[0] = (unsigned char)(word >> 24);
    to[1] = (unsigned char)(word >> 16);
    to[2] = (unsigned char)(word >> 8);
    to[3] = (unsigned char)word;
    return 4;
}

static uint32_t bits(float number) {
    uint32_t word;
    memcpy(&word, &number, 4);
    return word;
}

static size_t load_cp(unsigned char *to, unsigned char number, uint32_t value) {
    to[0] = 8;
    to[1] = number;
    return 2 + put(to + 2, value);
}

/* What a test has seen. */
struct seen {
    xfjit_flipper *flipper;
    unsigned draws, vertices, triangles, loads, busy;
    uint32_t flags, address, value;
    float eye[8][3];
    uint32_t mask[8];
};

static void take(void *user, const xfjit_flipper_output *output) {
    struct seen *seen = (struct seen *)user;
    uint32_t vertex;
    if (xfjit_flipper_load_cp(seen->flipper, 0x50, 0) == XFJIT_E_BUSY) seen->busy++;
    if (output->kind == XFJIT_FLIPPER_BP) {
        seen->loads++;
        seen->address = output->address;
        seen->value = output->value;
    }
    if (output->kind != XFJIT_FLIPPER_DRAW) return;
    CHECK(output->vertex_bytes == (output->count ? 16u * output->count : 0u));
    for (vertex = 0; vertex < output->count && seen->vertices < 8; vertex++, seen->vertices++) {
        const unsigned char *at = (const unsigned char *)output->vertices + 16 * vertex;
        memcpy(seen->eye[seen->vertices], at, 12);
        memcpy(&seen->mask[seen->vertices], at + 12, 4);
    }
    seen->draws++;
    seen->triangles += output->triangle_count;
    for (vertex = 0; vertex < output->triangle_count; vertex++) {
        CHECK(output->triangles[vertex].vertices[2] < output->count);
        seen->flags |= output->triangles[vertex].flags;
    }
}

struct file {
    unsigned char bytes[4096];
    size_t size;
    int ended;
};

static int32_t store(void *user, const void *bytes, size_t size) {
    struct file *file = (struct file *)user;
    if (bytes == NULL) {
        file->ended++;
        return 0;
    }
    CHECK(file->size + size <= sizeof file->bytes);
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
    return 0;
}

static int32_t refuse(void *user, const void *bytes, size_t size) {
    (void)user;
    (void)bytes;
    return size != 0;
}

/* A position of three bytes, indexed from MEM2; x alone has a matrix row. */
static size_t scene(unsigned char *to, uint32_t base) {
    size_t size = 0;
    int word;
    size += load_cp(to + size, 0x50, 2u << 9);
    size += load_cp(to + size, 0x70, 1);
    size += load_cp(to + size, 0xa0, base);
    size += load_cp(to + size, 0xb0, 3);
    to[size++] = 0x10;
    size += put(to + size, 3u << 16);
    for (word = 0; word < 4; word++) size += put(to + size, bits(word == 0 ? 2.0f : word == 3 ? 1.0f : 0.0f));
    /* BP, and three points. */
    to[size++] = 0x61;
    size += put(to + size, 0x45000002u);
    to[size++] = 0x90;
    to[size++] = 0;
    to[size++] = 3;
    to[size++] = 0;
    to[size++] = 1;
    to[size++] = 2;
    return size;
}

static const unsigned char DATA[16] = {1, 0, 0, 2, 9, 0, 3, 0, 8, 0};

static xfjit_flipper_memory lent(int is_second) {
    xfjit_flipper_memory memory;
    memset(&memory, 0, sizeof memory);
    memory.size = sizeof memory;
    if (is_second) {
        memory.second = DATA;
        memory.second_bytes = sizeof DATA;
    } else {
        memory.first = DATA;
        memory.first_bytes = sizeof DATA;
    }
    return memory;
}

static const xfjit_flipper_element OUTPUTS[2] = {
    {XFJIT_FLIPPER_OUT_EYE, XFJIT_FLIPPER_F32, 3, 0, 16, 0}, {XFJIT_FLIPPER_OUT_MASK, XFJIT_FLIPPER_U32, 1, 12, 16, 0}};
static const uint32_t ELEMENT = sizeof(xfjit_flipper_element);

static xfjit_flipper *made(xfjit_engine *engine, uint32_t console, uint32_t dialect) {
    xfjit_flipper_options options;
    xfjit_flipper *flipper = NULL;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    CHECK(xfjit_flipper_options_init(&options, dialect) == XFJIT_OK);
    options.console = console;
    CHECK(xfjit_flipper_create(engine, &options, &flipper) == XFJIT_OK);
    CHECK(xfjit_flipper_set_layout(flipper, NULL, 0, 0, 0) == XFJIT_OK);
    CHECK(xfjit_flipper_set_layout(flipper, OUTPUTS, ELEMENT, 2, 1) == XFJIT_OK);
    return flipper;
}

static void options_are_checked(xfjit_engine *engine) {
    xfjit_flipper_options options;
    xfjit_flipper *flipper = NULL;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    CHECK(xfjit_flipper_options_init(&options, 4) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_flipper_options_init(&options, XFJIT_FLIPPER_DOLPHIN_SW) == XFJIT_OK);
    CHECK(options.depth == 1 && options.half_angle == 1 && options.to_integer == 1 && options.dialect == 1);
    options.storage = 2;
    CHECK(xfjit_flipper_create(engine, &options, &flipper) == XFJIT_E_ARGUMENT);
    options.storage = 1;
    options.console = 2;
    CHECK(xfjit_flipper_create(engine, &options, &flipper) == XFJIT_E_ARGUMENT);
    options.console = XFJIT_WII;
    options.held = 257;
    CHECK(xfjit_flipper_create(engine, &options, &flipper) == XFJIT_E_ARGUMENT);
    options.held = UINT32_MAX;
    options.size = 12;
    CHECK(xfjit_flipper_create(engine, &options, &flipper) == XFJIT_E_SIZE && flipper == NULL);
    CHECK(xfjit_flipper_create(engine, NULL, &flipper) == XFJIT_OK);
    CHECK(xfjit_flipper_destroy(flipper) == XFJIT_OK);
    CHECK(xfjit_flipper_destroy(NULL) == XFJIT_OK);
    CHECK(xfjit_flipper_destroy((xfjit_flipper *)engine) == XFJIT_E_HANDLE);
}

/* The scene in pieces of a size, from either memory. */
static void streams_come_in_pieces(xfjit_engine *engine, int is_second, size_t piece, uint64_t budget) {
    xfjit_flipper *flipper = made(engine, is_second ? XFJIT_WII : XFJIT_GAMECUBE, XFJIT_FLIPPER_SPEC);
    unsigned char stream[128];
    size_t size = scene(stream, is_second ? 0x10000000u : 0), at = 0;
    xfjit_flipper_memory memory = lent(is_second);
    xfjit_flipper_progress progress;
    struct seen seen;
    memset(&seen, 0, sizeof seen);
    memset(&progress, 0, sizeof progress);
    progress.size = sizeof progress;
    seen.flipper = flipper;
    while (at < size) {
        size_t count = piece < size - at ? piece : size - at;
        CHECK(xfjit_flipper_run(flipper, stream + at, count, &memory, budget, take, &seen, &progress) == XFJIT_OK);
        CHECK(progress.used <= count && progress.in_list == 0);
        at += (size_t)progress.used;
    }
    CHECK(progress.waiting == 0 && seen.draws == 1 && seen.vertices == 3 && seen.triangles == 1 && seen.loads == 1);
    CHECK(seen.busy == 2 && seen.address == 0x45 && seen.value == 2);
    CHECK(seen.eye[0][0] == 3.0f && seen.eye[1][0] == 5.0f && seen.eye[2][0] == 7.0f && seen.eye[2][1] == 0.0f);
    CHECK(xfjit_flipper_destroy(flipper) == XFJIT_OK);
}

static void registers_and_states(xfjit_engine *engine) {
    xfjit_flipper *flipper = made(engine, XFJIT_GAMECUBE, XFJIT_FLIPPER_SPEC), *other;
    uint32_t words[3] = {7, 8, 9}, read[4], value = 1;
    static unsigned char state[1 << 16];
    size_t size;
    CHECK(xfjit_flipper_load_cp(flipper, 0xa3, 0xffffffffu) == XFJIT_OK);
    CHECK(xfjit_flipper_read_cp(flipper, 0xa3, &value) == XFJIT_OK && value == 0x03ffffff);
    CHECK(xfjit_flipper_load_cp(flipper, 0x100, 0) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_flipper_read_cp(flipper, 0x100, &value) == XFJIT_E_ARGUMENT && value == 0x03ffffff);
    CHECK(xfjit_flipper_load_xf(flipper, 0x1056, words, 3) == XFJIT_OK);
    CHECK(xfjit_flipper_load_xf(flipper, 0xffff, words, 3) == XFJIT_OK);
    CHECK(xfjit_flipper_load_xf(flipper, 0x10000, words, 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_flipper_read_xf(flipper, 0x1055, read, 4) == XFJIT_OK);
    CHECK(read[0] == 0 && read[1] == 7 && read[2] == 8 && read[3] == 0);
    size = xfjit_flipper_save(flipper, NULL, 0);
    CHECK(size > 16384 && size <= sizeof state && xfjit_flipper_save(flipper, state, sizeof state) == size);
    other = made(engine, XFJIT_GAMECUBE, XFJIT_FLIPPER_SPEC);
    CHECK(xfjit_flipper_load(other, state, size - 1) == XFJIT_E_STATE);
    CHECK(xfjit_flipper_load(other, state, size) == XFJIT_OK);
    CHECK(xfjit_flipper_read_cp(other, 0xa3, &value) == XFJIT_OK && value == 0x03ffffff);
    CHECK(xfjit_flipper_destroy(flipper) == XFJIT_OK && xfjit_flipper_destroy(other) == XFJIT_OK);
}

/* Draws alone, vertices fetched and transformed, what cannot be seen. */
static void parts_of_draws(xfjit_engine *engine) {
    static const xfjit_flipper_element INPUTS[2] = {
        {XFJIT_FLIPPER_IN_POSITION, XFJIT_FLIPPER_F32, 3, 4, 16, 0}, {XFJIT_FLIPPER_IN_MATRIX0, XFJIT_FLIPPER_U8, 1, 0, 16, 0}};
    static const unsigned char INDICES[4] = {0, 255, 2, 1};
    xfjit_flipper *flipper = made(engine, XFJIT_GAMECUBE, XFJIT_FLIPPER_SPEC);
    xfjit_flipper_memory memory = lent(0);
    xfjit_flipper_element bad = INPUTS[0];
    xfjit_attribute attributes[1];
    xfjit_batch batch;
    unsigned char stream[128], data[64];
    size_t size = scene(stream, 0);
    struct seen seen;
    float x, positions[4][3] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
    uint32_t stored = 9;
    int32_t culled = 7;
    memset(&seen, 0, sizeof seen);
    seen.flipper = flipper;
    CHECK(xfjit_flipper_run(flipper, stream, size, &memory, 0, take, &seen, NULL) == XFJIT_OK);
    CHECK(xfjit_flipper_vertex_size(flipper, 0x90) == 1 && xfjit_flipper_vertex_size(flipper, 0x10) == 0);
    CHECK(xfjit_flipper_draw(flipper, 0xb8, 4, INDICES, 4, &memory, take, &seen) == XFJIT_OK);
    CHECK(seen.draws == 2 && seen.vertices == 6 && seen.eye[5][0] == 5.0f);
    CHECK(xfjit_flipper_draw(flipper, 0xb8, 5, INDICES, 4, &memory, take, &seen) == XFJIT_E_INPUT);
    CHECK(xfjit_flipper_draw(flipper, 0x40, 1, INDICES, 4, &memory, take, &seen) == XFJIT_E_ARGUMENT);
    memory.reserved = 1;
    CHECK(xfjit_flipper_draw(flipper, 0xb8, 4, INDICES, 4, &memory, take, &seen) == XFJIT_E_ARGUMENT);
    memory.reserved = 0;
    CHECK(xfjit_flipper_draw(flipper, 0xb8, 65536, INDICES, 4, &memory, take, &seen) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_flipper_draw(flipper, 0xb8, 4, INDICES, 4, &memory, NULL, &seen) == XFJIT_E_ARGUMENT);

    /* The loader: one vertex is left out; what no element covers stays. */
    memset(data, 0xee, sizeof data);
    CHECK(xfjit_flipper_fetch(flipper, 0xb8, 4, INDICES, 4, &memory, INPUTS, ELEMENT, 2, data, sizeof data, &stored) == XFJIT_OK);
    memcpy(&x, data + 16 + 4, 4);
    CHECK(stored == 3 && x == 3.0f && data[0] == 0 && data[1] == 0xee && data[48] == 0xee);
    memcpy(&x, data + 16 + 8, 4);
    CHECK(x == 0.0f);
    CHECK(xfjit_flipper_fetch(flipper, 0xb8, 4, INDICES, 4, &memory, INPUTS, ELEMENT, 2, data, 63, &stored) == XFJIT_E_OUTPUT);
    CHECK(xfjit_flipper_fetch(flipper, 0xb8, 5, INDICES, 4, &memory, INPUTS, ELEMENT, 2, data, 64, &stored) == XFJIT_E_INPUT);
    CHECK(xfjit_flipper_fetch(flipper, 0xb8, 4, INDICES, 4, &memory, OUTPUTS, ELEMENT, 2, data, 64, &stored) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_flipper_fetch(flipper, 0xb8, 4, INDICES, 4, &memory, INPUTS, 20, 2, data, 64, &stored) == XFJIT_E_SIZE);
    CHECK(xfjit_flipper_fetch(flipper, 0xb8, 4, data, 4, &memory, INPUTS, ELEMENT, 2, data, 64, &stored) == XFJIT_E_OUTPUT);
    CHECK(stored == 3);
    bad.stored = XFJIT_FLIPPER_U8;
    CHECK(xfjit_flipper_fetch(flipper, 0xb8, 4, INDICES, 4, &memory, &bad, ELEMENT, 1, data, 64, NULL) == XFJIT_E_ARGUMENT);
    bad.stored = 3;
    CHECK(xfjit_flipper_fetch(flipper, 0xb8, 4, INDICES, 4, &memory, &bad, ELEMENT, 1, data, 64, NULL) == XFJIT_E_ARGUMENT);
    bad = INPUTS[0];
    bad.reserved = 1;
    CHECK(xfjit_flipper_fetch(flipper, 0xb8, 4, INDICES, 4, &memory, &bad, ELEMENT, 1, data, 64, NULL) == XFJIT_E_VERSION);
    bad = INPUTS[0];
    bad.offset = bad.stride = 0xffffffffu;
    CHECK(xfjit_flipper_fetch(flipper, 0xb8, 4, INDICES, 4, &memory, &bad, ELEMENT, 1, data, 64, NULL) == XFJIT_E_OUTPUT);
    CHECK(xfjit_flipper_set_layout(flipper, INPUTS, ELEMENT, 2, 0) == XFJIT_E_ARGUMENT);

    /* Arrays. */
    memset(attributes, 0, sizeof attributes);
    memset(&batch, 0, sizeof batch);
    attributes[0].data = positions;
    attributes[0].size_bytes = sizeof positions;
    attributes[0].stride = 12;
    attributes[0].format = XFJIT_FORMAT_F32;
    attributes[0].components = 3;
    batch.size = sizeof batch;
    batch.count = 4;
    batch.attributes = attributes;
    batch.attribute_size = sizeof attributes[0];
    batch.attribute_count = 1;
    CHECK(xfjit_flipper_transform(flipper, &batch, 0, OUTPUTS, ELEMENT, 2, data, sizeof data) == XFJIT_OK);
    memcpy(&x, data + 48, 4);
    CHECK(x == 9.0f);
    CHECK(xfjit_flipper_transform(flipper, &batch, 0x200, OUTPUTS, ELEMENT, 2, data, sizeof data) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_flipper_transform(flipper, &batch, 0, OUTPUTS, ELEMENT, 2, data, 63) == XFJIT_E_OUTPUT);
    CHECK(xfjit_flipper_transform(flipper, &batch, 0, OUTPUTS, ELEMENT, 2, positions, sizeof positions) == XFJIT_E_OUTPUT);
    batch.count = 5;
    CHECK(xfjit_flipper_transform(flipper, &batch, 0, OUTPUTS, ELEMENT, 2, data, sizeof data) == XFJIT_E_INPUT);
    batch.count = 4;
    batch.instance_count = 2;
    CHECK(xfjit_flipper_transform(flipper, &batch, 0, OUTPUTS, ELEMENT, 2, data, sizeof data) == XFJIT_E_ARGUMENT);

    /* Without area the strip shows its back. */
    CHECK(xfjit_flipper_culled(flipper, 0x98, 3, INDICES, 4, &memory, 0, &culled) == XFJIT_OK && culled == 1);
    CHECK(xfjit_flipper_culled(flipper, 0x98, 4, INDICES, 4, &memory, 0, &culled) == XFJIT_OK && culled == 0);
    CHECK(xfjit_flipper_culled(flipper, 0x98, 4, INDICES, 4, &memory, XFJIT_FLIPPER_CULL_BACK, &culled) == XFJIT_OK && culled == 1);
    CHECK(xfjit_flipper_culled(flipper, 0x98, 4, INDICES, 4, &memory, 4, &culled) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_flipper_culled(flipper, 0x98, 5, INDICES, 4, &memory, 0, &culled) == XFJIT_E_INPUT);
    CHECK(xfjit_flipper_destroy(flipper) == XFJIT_OK);
}

static uint32_t port(xfjit_flipper *flipper, uint32_t offset) {
    uint32_t low = 0, high = 0;
    CHECK(xfjit_flipper_read_port(flipper, offset, &low) == XFJIT_OK);
    if (offset >= XFJIT_FLIPPER_PORT_BASE) CHECK(xfjit_flipper_read_port(flipper, offset + 2, &high) == XFJIT_OK);
    return low | high << 16;
}

static void set_port(xfjit_flipper *flipper, uint32_t offset, uint32_t value) {
    CHECK(xfjit_flipper_write_port(flipper, offset, value & 0xffff) == XFJIT_OK);
    if (offset >= XFJIT_FLIPPER_PORT_BASE) CHECK(xfjit_flipper_write_port(flipper, offset + 2, value >> 16) == XFJIT_OK);
}

/* The scene through gathered stores and rings from 0x100 to 0x1e0: marks, the break point, budgets, a flag. */
static void rings(xfjit_engine *engine) {
    static unsigned char ram[0x1000];
    xfjit_flipper *flipper = made(engine, XFJIT_GAMECUBE, XFJIT_FLIPPER_SPEC);
    xfjit_cancel *cancel = NULL;
    xfjit_flipper_memory memory;
    xfjit_flipper_progress progress;
    struct seen seen;
    unsigned char stream[128];
    size_t size = scene(stream, 0x800), at;
    uint32_t address = 0, held = 0, value = 1, calls = 0;
    int32_t raised = 7;
    memset(&seen, 0, sizeof seen);
    memset(&memory, 0, sizeof memory);
    memset(&progress, 0, sizeof progress);
    memory.size = sizeof memory;
    memory.first = ram;
    memory.first_bytes = sizeof ram;
    progress.size = sizeof progress;
    seen.flipper = flipper;
    memcpy(ram + 0x800, DATA, sizeof DATA);
    CHECK(size > 32 && size < 64);
    CHECK(xfjit_flipper_write_gather(flipper, 0x0c008000) == XFJIT_OK);
    CHECK(xfjit_flipper_write_pi(flipper, XFJIT_FLIPPER_PI_BASE, 0x100) == XFJIT_OK);
    CHECK(xfjit_flipper_write_pi(flipper, XFJIT_FLIPPER_PI_TOP, 0x1e0) == XFJIT_OK);
    CHECK(xfjit_flipper_write_pi(flipper, XFJIT_FLIPPER_PI_WRITE, 0x100) == XFJIT_OK);
    set_port(flipper, XFJIT_FLIPPER_PORT_BASE, 0x100);
    set_port(flipper, XFJIT_FLIPPER_PORT_TOP, 0x1e0);
    set_port(flipper, XFJIT_FLIPPER_PORT_WRITE, 0x100);
    set_port(flipper, XFJIT_FLIPPER_PORT_READ, 0x100);
    set_port(flipper, XFJIT_FLIPPER_PORT_HIGH, 0x1000000);
    CHECK(port(flipper, XFJIT_FLIPPER_PORT_HIGH) == 0x1000000);
    CHECK(xfjit_flipper_write_port(flipper, XFJIT_FLIPPER_PORT_HIGH, 0x10000) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_flipper_store(flipper, 0, 3, ram, sizeof ram) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_flipper_store(flipper, 0, 1, NULL, sizeof ram) == XFJIT_E_ARGUMENT);
    /* The first word, bytes, and what fills the second block: eight at once. */
    CHECK(xfjit_flipper_store(flipper, 0x0850, 2, ram, sizeof ram) == XFJIT_OK);
    for (at = 2; at < size; at++) CHECK(xfjit_flipper_store(flipper, stream[at], 1, ram, sizeof ram) == XFJIT_OK);
    CHECK(xfjit_flipper_read_gather(flipper, &address, &held) == XFJIT_OK && address == 0x0c008000 && held == size - 32);
    CHECK(xfjit_flipper_read_gather(flipper, NULL, NULL) == XFJIT_OK);
    for (; at < 64; at += 8) CHECK(xfjit_flipper_store(flipper, 0, 8, ram, sizeof ram) == XFJIT_OK);
    CHECK(memcmp(ram + 0x100, stream, size) == 0);
    CHECK(port(flipper, XFJIT_FLIPPER_PORT_COUNT) == 64 && port(flipper, XFJIT_FLIPPER_PORT_WRITE) == 0x140);
    CHECK(xfjit_flipper_read_pi(flipper, XFJIT_FLIPPER_PI_WRITE, &value) == XFJIT_OK && value == 0x140);

    /* Fewer than the low mark wait. */
    set_port(flipper, XFJIT_FLIPPER_PORT_LOW, 0x60);
    CHECK(xfjit_flipper_interrupt(flipper, &raised) == XFJIT_OK && raised == 0);
    set_port(flipper, XFJIT_FLIPPER_PORT_ENABLE, XFJIT_FLIPPER_ENABLE_LINK | XFJIT_FLIPPER_ENABLE_UNDERFLOW_INTERRUPT);
    CHECK(xfjit_flipper_interrupt(flipper, &raised) == XFJIT_OK && raised == 1);
    CHECK(port(flipper, XFJIT_FLIPPER_PORT_STATUS) == (XFJIT_FLIPPER_STATUS_UNDERFLOW | XFJIT_FLIPPER_STATUS_COMMAND_IDLE));

    /* To the break point, and no further. */
    CHECK(xfjit_flipper_run_fifo(flipper, &memory, 0, take, &seen, &progress) == XFJIT_OK && progress.used == 0);
    set_port(flipper, XFJIT_FLIPPER_PORT_BREAK, 0x120);
    set_port(flipper, XFJIT_FLIPPER_PORT_ENABLE, XFJIT_FLIPPER_ENABLE_READ | XFJIT_FLIPPER_ENABLE_BREAK);
    CHECK(xfjit_flipper_run_fifo(flipper, &memory, 0, take, &seen, &progress) == XFJIT_OK);
    CHECK(progress.used == 32 && progress.in_list == 0 && progress.waiting > 0 && seen.draws == 0);
    CHECK(port(flipper, XFJIT_FLIPPER_PORT_READ) == 0x120 && port(flipper, XFJIT_FLIPPER_PORT_COUNT) == 32);
    CHECK((port(flipper, XFJIT_FLIPPER_PORT_STATUS) & XFJIT_FLIPPER_STATUS_BREAK) != 0);

    /* A flag ends a call before its first command, a budget behind one. */
    set_port(flipper, XFJIT_FLIPPER_PORT_ENABLE, XFJIT_FLIPPER_ENABLE_READ);
    CHECK(xfjit_cancel_create(&cancel) == XFJIT_OK && xfjit_cancel_set(cancel, 1) == XFJIT_OK);
    CHECK(xfjit_flipper_set_cancel(flipper, cancel) == XFJIT_OK);
    CHECK(xfjit_flipper_run_fifo(flipper, &memory, 0, take, &seen, &progress) == XFJIT_OK);
    CHECK(progress.cancelled == 1 && progress.in_list == 1 && seen.draws == 0 && seen.loads == 0);
    CHECK(xfjit_flipper_run(flipper, stream, 0, &memory, 0, take, &seen, &progress) == XFJIT_OK && progress.cancelled == 1);
    CHECK(xfjit_cancel_set(cancel, 0) == XFJIT_OK);
    do {
        CHECK(xfjit_flipper_run_fifo(flipper, &memory, 1, take, &seen, &progress) == XFJIT_OK);
        CHECK(progress.cancelled == 0 && calls++ < 64);
    } while (progress.in_list);
    CHECK(calls > 2 && seen.draws == 1 && seen.loads == 1 && seen.vertices == 3 && seen.eye[2][0] == 7.0f);
    CHECK(port(flipper, XFJIT_FLIPPER_PORT_COUNT) == 0);
    CHECK((port(flipper, XFJIT_FLIPPER_PORT_STATUS) & XFJIT_FLIPPER_STATUS_READ_IDLE) != 0);

    /* Whole blocks; the pointer of the processor's interface comes round. */
    for (at = 0; at < 6; at++) CHECK(xfjit_flipper_burst(flipper, ram + 0x900, ram, 0x900) == XFJIT_OK);
    CHECK(xfjit_flipper_read_pi(flipper, XFJIT_FLIPPER_PI_WRITE, &value) == XFJIT_OK && value == (0x100 | 1u << 26));
    CHECK(xfjit_flipper_burst(flipper, NULL, ram, sizeof ram) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_flipper_write_pi(flipper, XFJIT_FLIPPER_PI_RESET, 1) == XFJIT_OK);
    CHECK(port(flipper, XFJIT_FLIPPER_PORT_ENABLE) == XFJIT_FLIPPER_ENABLE_LINK);
    CHECK(xfjit_flipper_set_cancel(flipper, NULL) == XFJIT_OK && xfjit_cancel_destroy(cancel) == XFJIT_OK);
    CHECK(xfjit_flipper_destroy(flipper) == XFJIT_OK);
}

static void recordings(xfjit_engine *engine, const char *path) {
    xfjit_flipper *flipper = made(engine, XFJIT_WII, XFJIT_FLIPPER_SPEC);
    xfjit_flipper_memory memory = lent(1);
    unsigned char stream[128];
    size_t size = scene(stream, 0x10000000u);
    static struct file file;
    struct seen seen;
    FILE *out;
    memset(&seen, 0, sizeof seen);
    seen.flipper = flipper;
    CHECK(xfjit_flipper_record_end(flipper) == XFJIT_OK);
    CHECK(xfjit_flipper_record(flipper, NULL, NULL) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_flipper_record(flipper, refuse, NULL) == XFJIT_E_FILE);
    CHECK(xfjit_flipper_record(flipper, store, &file) == XFJIT_OK);
    CHECK(xfjit_flipper_run(flipper, stream, size, &memory, 0, take, &seen, NULL) == XFJIT_OK);
    CHECK(xfjit_flipper_record_end(flipper) == XFJIT_OK && file.ended == 1 && file.size > 100);
    out = fopen(path, "wb");
    CHECK(out != NULL && fwrite(file.bytes, 1, file.size, out) == file.size && fclose(out) == 0);
    CHECK(xfjit_flipper_destroy(flipper) == XFJIT_OK);
}

int main(int argc, char **argv) {
    xfjit_engine *engine = NULL;
    size_t piece;
    CHECK(xfjit_engine_create(NULL, &engine) == XFJIT_OK);
    options_are_checked(engine);
    for (piece = 1; piece < 100; piece += 9) {
        streams_come_in_pieces(engine, 0, piece, 0);
        streams_come_in_pieces(engine, 1, piece, 3);
    }
    registers_and_states(engine);
    parts_of_draws(engine);
    rings(engine);
    if (argc > 1) recordings(engine, argv[1]);
    CHECK(xfjit_engine_destroy(engine) == XFJIT_OK);
    puts("fine");
    return 0;
}
