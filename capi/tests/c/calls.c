/* Everything that an emulator does with a program, and everything that it should not. C99 and C++98. */
#include "xfjit.h"

#include "check.h"

enum { VERTICES = 37 };

static float constants[512][4];
static float in[VERTICES][16][4];
static float out[VERTICES][16][4];
static uint8_t dirty[192];
/* Whether to use what has been freed: a debugger of memory would not like it. */
static int after_free = 1;

static void prepare(void) {
    int vertex;
    fill_constants(constants);
    for (vertex = 0; vertex < VERTICES; vertex++)
        fill_vertex(in[vertex], vertex);
    memset(out, 0x55, sizeof out);
    memset(dirty, 0, sizeof dirty);
}

static const char *last_error(void) {
    static char text[200];
    size_t length = xfjit_last_error(text, sizeof text);
    CHECK(length > 0 && strlen(text) == (length < sizeof text ? length : sizeof text - 1));
    return text;
}

static xfjit_config configuration(uint32_t live) {
    xfjit_config config;
    config.size = (uint32_t)sizeof config;
    CHECK(xfjit_config_init(&config, XFJIT_KELVIN) == XFJIT_OK);
    config.live_outputs = live;
    return config;
}

static const xfjit_program *program_of(xfjit_engine *engine, const uint32_t (*slots)[4], size_t count, const xfjit_config *config) {
    const xfjit_program *program = NULL;
    CHECK(xfjit_program_get(engine, slots, 16, count, 0, config, &program) == XFJIT_OK);
    CHECK(program != NULL);
    return program;
}

static void check_vertex(int vertex) {
    float position[4], colour[4];
    expected(in[vertex], constants, position, colour);
    CHECK(memcmp(out[vertex][0], position, sizeof position) == 0);
    CHECK(memcmp(out[vertex][3], colour, sizeof colour) == 0);
}

static void test_library(void) {
    CHECK(xfjit_abi_version() == XFJIT_ABI);
    CHECK(strlen(xfjit_version_string()) >= 5);
    CHECK((xfjit_host_features() & ~3u) == 0);
    CHECK(strcmp(xfjit_status_string(XFJIT_OK), "done") == 0);
    CHECK(strlen(xfjit_status_string(-1000)) > 0);
}

/* Whether the profile of an engine contains a text. */
static int is_in_profile(xfjit_engine *engine, const char *text) {
    static char profile[1 << 16];
    size_t length = xfjit_engine_profile(engine, profile, sizeof profile);
    CHECK(length > 0 && length < sizeof profile);
    return strstr(profile, text) != NULL;
}

/* A label changes only what people are told; what is no label leaves the one that there is. */
static void test_label(xfjit_engine *engine, const xfjit_program *program) {
    xfjit_config config = configuration(9);
    const xfjit_program *equal = program_of(engine, TRANSFORM, 5, &config);
    char text[257];
    memset(text, 'x', 256);
    text[256] = 0;
    CHECK(is_in_profile(engine, "\"label\":null"));
    CHECK(xfjit_program_set_label(program, "skinning \xc3\xa4") == XFJIT_OK);
    CHECK(is_in_profile(engine, "\"label\":\"skinning \xc3\xa4\""));
    CHECK(xfjit_program_set_label(program, text) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_program_set_label(program, "two\nlines") == XFJIT_E_ARGUMENT);
    CHECK(xfjit_program_set_label(program, "\xff") == XFJIT_E_ARGUMENT);
    CHECK(xfjit_program_set_label(NULL, "none") == XFJIT_E_ARGUMENT);
    CHECK(is_in_profile(engine, "\"label\":\"skinning \xc3\xa4\""));
    text[255] = 0;
    CHECK(xfjit_program_set_label(equal, text) == XFJIT_OK);
    CHECK(is_in_profile(engine, text));
    CHECK(xfjit_program_set_label(program, "") == XFJIT_OK && is_in_profile(engine, "\"label\":null"));
    CHECK(xfjit_program_set_label(program, text) == XFJIT_OK && xfjit_program_set_label(program, NULL) == XFJIT_OK);
    CHECK(is_in_profile(engine, "\"label\":null"));
    CHECK(xfjit_program_unref(equal) == XFJIT_OK);
}

static void test_rows(xfjit_engine *engine, xfjit_worker *worker) {
    xfjit_config config = configuration(9);
    const xfjit_program *program = program_of(engine, TRANSFORM, 5, &config);
    int vertex;
    xfjit_info info;
    info.size = (uint32_t)sizeof info;
    prepare();
    CHECK(xfjit_run_rows(program, worker, constants, 512, NULL, in, out, VERTICES) == XFJIT_OK);
    for (vertex = 0; vertex < VERTICES; vertex++) {
        check_vertex(vertex);
        CHECK(*(unsigned char *)out[vertex][1] == 0x55);
    }
    CHECK(xfjit_program_info(program, &info) == XFJIT_OK);
    CHECK(info.inputs_read == 9 && info.outputs_written == 9 && info.constant_rows == 192);
    CHECK(info.output_masks[0] == 15 && info.constants_read[0] == 0x1f && info.constants_written[12] == 0);
    CHECK(info.slots == 5 && info.vertices == VERTICES && info.batches == 1);
    test_label(engine, program);
    CHECK(xfjit_program_ref(program) == XFJIT_OK);
    CHECK(xfjit_program_unref(program) == XFJIT_OK);
    CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, in, out, 0) == XFJIT_OK);
    CHECK(xfjit_program_unref(program) == XFJIT_OK);
}

/* Slots with something between them, found by their words. */
static void test_find(xfjit_engine *engine, xfjit_worker *worker) {
    uint32_t slots[544][6];
    xfjit_config config = configuration(9);
    const xfjit_program *first, *second, *other;
    size_t slot;
    memset(slots, 0, sizeof slots);
    for (slot = 0; slot < 5; slot++)
        memcpy(slots[slot + 2] + 1, TRANSFORM[slot], 16);
    CHECK(xfjit_worker_program(worker, slots[0] + 1, sizeof slots[0], 543, 2, &config, &first) == XFJIT_OK);
    prepare();
    CHECK(xfjit_run_rows(first, worker, constants, 192, NULL, in, out, 1) == XFJIT_OK);
    check_vertex(0);
    slots[0][0] = 7;
    CHECK(xfjit_worker_program(worker, slots[0] + 1, sizeof slots[0], 543, 2, &config, &second) == XFJIT_OK);
    CHECK(first == second);
    config.keep_outputs = 1;
    CHECK(xfjit_worker_program(worker, slots[0] + 1, sizeof slots[0], 543, 2, &config, &other) == XFJIT_OK);
    CHECK(first != other);
    CHECK(xfjit_worker_program(worker, slots[0] + 1, sizeof slots[0], 543, 136, &config, &other) == XFJIT_E_DECODE);
    CHECK(strstr(last_error(), "start slot 136") != NULL);
    CHECK(xfjit_worker_program(worker, slots[0] + 1, 15, 543, 2, &config, &other) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_worker_program(worker, NULL, 16, 5, 0, &config, &other) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_program_get(engine, slots, 16, 0, 0, &config, &other) == XFJIT_E_DECODE);
}

/* A program that writes constants. */
static void test_state(xfjit_engine *engine, xfjit_worker *worker) {
    xfjit_config config;
    const xfjit_program *program;
    int row;
    config.size = (uint32_t)sizeof config;
    CHECK(xfjit_config_like(&config, XFJIT_LIKE_NV2A_VSH_CPU, XFJIT_KELVIN) == XFJIT_OK);
    CHECK(config.model == XFJIT_IEEE && config.constant_writes == 1);
    config.live_outputs = 0;
    program = program_of(engine, STATE, 2, &config);
    prepare();
    CHECK(xfjit_run_rows(program, worker, constants, 192, dirty, in, NULL, 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_run_rows(program, worker, constants, 192, dirty, in, out, 1) == XFJIT_OK);
    CHECK(constants[96][0] == 95.0f && constants[96][3] == 98.0f + 3.0f);
    for (row = 0; row < 192; row++)
        CHECK(dirty[row] == (row == 96));
    CHECK(*(unsigned char *)out[0][0] == 0x55);
    CHECK(xfjit_config_like(&config, XFJIT_LIKE_RPCS3, XFJIT_KELVIN) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_run_rows(program, worker, constants, 192, (uint8_t *)constants, in, out, 1) == XFJIT_E_OUTPUT);
    CHECK(xfjit_run_rows(program, worker, in, 192, NULL, in, out, 1) == XFJIT_E_OUTPUT);
    xfjit_program_unref(program);
}

/* Interleaved vertices of the other byte order, indices, outputs in one array. */
static void test_streams(xfjit_engine *engine, xfjit_worker *worker) {
    static unsigned char vertices[VERTICES][28];
    static float target[2 * VERTICES][8];
    static uint16_t indices[VERTICES + 1];
    xfjit_config config = configuration(9);
    xfjit_attribute attributes[4];
    xfjit_output outputs[4];
    xfjit_batch batch;
    xfjit_outcome outcome;
    const xfjit_program *program, *rows;
    float fetched[16][4], position[4], colour[4];
    int vertex, component, byte, round;
    prepare();
    memset(attributes, 0, sizeof attributes);
    memset(outputs, 0, sizeof outputs);
    memset(&batch, 0, sizeof batch);
    for (vertex = 0; vertex < VERTICES; vertex++) {
        in[vertex][0][3] = 1;
        in[vertex][3][0] = 2, in[vertex][3][1] = 3, in[vertex][3][2] = 4, in[vertex][3][3] = 5;
        for (component = 0; component < 3; component++) {
            unsigned char bytes[4];
            uint32_t word;
            memcpy(&word, &in[vertex][0][component], 4);
            for (byte = 0; byte < 4; byte++)
                bytes[byte] = (unsigned char)(word >> (24 - 8 * byte));
            memcpy(vertices[vertex] + 8 + 4 * component, bytes, 4);
        }
        indices[vertex + 1] = (uint16_t)(VERTICES - 1 - vertex);
    }
    attributes[0].data = vertices[0] + 8;
    attributes[0].size_bytes = sizeof vertices - 8;
    attributes[0].stride = 28;
    attributes[0].format = XFJIT_FORMAT_F32 | XFJIT_FORMAT_BIG_ENDIAN;
    attributes[0].components = 3;
    memcpy(attributes[3].value, in[0][3], 16);
    outputs[0].data = target[0];
    outputs[0].size_bytes = sizeof target;
    outputs[0].stride = sizeof target[0];
    outputs[3] = outputs[0];
    outputs[3].data = target[0] + 4;
    outputs[3].size_bytes = sizeof target - 16;
    batch.size = (uint32_t)sizeof batch;
    batch.count = VERTICES;
    batch.attribute_size = (uint32_t)sizeof attributes[0];
    batch.attributes = attributes;
    batch.attribute_count = 4;
    batch.output_size = (uint32_t)sizeof outputs[0];
    batch.outputs = outputs;
    batch.output_count = 4;
    batch.constants = constants;
    batch.constant_rows = 192;
    rows = program_of(engine, TRANSFORM, 5, &config);
    config.input_formats[0] = XFJIT_FORMAT(XFJIT_FORMAT_F32 | XFJIT_FORMAT_BIG_ENDIAN, 3);
    program = program_of(engine, TRANSFORM, 5, &config);
    outcome.size = (uint32_t)sizeof outcome;
    for (round = 0; round < 4; round++) {
        const xfjit_program *one = round % 2 ? program : rows;
        batch.indices = round < 2 ? NULL : indices;
        batch.index_size = round < 2 ? 0 : 2;
        batch.index_bytes = round < 2 ? 0 : sizeof indices;
        batch.first = round < 2 ? 0 : 1;
        memset(target, 0, sizeof target);
        CHECK(xfjit_run(one, worker, &batch, &outcome) == XFJIT_OK);
        CHECK(outcome.done == VERTICES && outcome.timeouts == 0);
        for (vertex = 0; vertex < VERTICES; vertex++) {
            expected(in[round < 2 ? vertex : VERTICES - 1 - vertex], constants, position, colour);
            CHECK(memcmp(target[vertex], position, 16) == 0 && memcmp(target[vertex] + 4, colour, 16) == 0);
        }
        memset(fetched, 0, sizeof fetched);
        CHECK(xfjit_fetch(&batch, 5, 1 | 8 | 1 << 9, fetched) == XFJIT_OK);
        CHECK(memcmp(fetched[0], in[round < 2 ? 5 : VERTICES - 6][0], 16) == 0);
        CHECK(fetched[3][3] == 5 && fetched[9][3] == 1 && fetched[1][3] == 0);
    }
    CHECK(xfjit_fetch(&batch, VERTICES, 1, fetched) == XFJIT_E_ARGUMENT);

    /* Indices outside of the window, and sums that are none. */
    batch.base_index = 1;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_INPUT);
    CHECK(strstr(last_error(), "v0") != NULL);
    batch.base_index = -0x7fffffff;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_INPUT);
    batch.base_index = 0;
    batch.index_size = 3;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_ARGUMENT);
    batch.index_size = 4;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_INPUT);
    batch.indices = NULL;
    batch.first = 1;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_INPUT);
    batch.first = 0xffffffff;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_INPUT);
    batch.first = 0;

    /* Formats. */
    attributes[0].format = 0x7f;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_ARGUMENT);
    attributes[0].format = XFJIT_FORMAT_F32;
    attributes[0].components = 5;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_ARGUMENT);
    attributes[0].components = 4;
    attributes[0].size_bytes += 8; /* not so, but nothing gets there */
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_INPUT);
    attributes[0].size_bytes -= 8;
    attributes[0].components = 3;
    attributes[0].data = NULL;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_ARGUMENT);
    attributes[0].data = vertices[0] + 8;

    /* Outputs that are too small, missing, or what is read. */
    outputs[3].size_bytes = sizeof target / 2 - 17;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_OUTPUT);
    outputs[3].size_bytes = sizeof target - 16;
    batch.output_count = 3;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_OUTPUT);
    batch.output_count = 4;
    outputs[0].data = vertices[0] + 8;
    outputs[0].size_bytes = sizeof vertices - 8;
    outputs[0].stride = 16;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_OUTPUT);
    CHECK(strstr(last_error(), "overlap") != NULL);
    outputs[0].data = target[0];
    outputs[0].size_bytes = sizeof target;
    outputs[0].stride = 0xffffffff;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_OUTPUT);
    outputs[0].stride = sizeof target[0];
    outputs[0].reserved = 1;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_ARGUMENT);
    outputs[0].reserved = 0;
    batch.constants = target;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_OUTPUT);
    batch.constants = constants;
    batch.constant_rows = 191;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_CONSTANTS);
    batch.constant_rows = 192;
    batch.attribute_size -= 1;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_SIZE);
    batch.attribute_size += 1;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
    xfjit_program_unref(program);
    xfjit_program_unref(rows);
}

static void test_sizes(void) {
    struct { xfjit_options options; uint32_t more[2]; } newer;
    xfjit_engine *engine = NULL;
    xfjit_config config;
    memset(&newer, 0, sizeof newer);
    newer.options.size = (uint32_t)sizeof newer;
    CHECK(xfjit_engine_create(&newer.options, &engine) == XFJIT_OK);
    CHECK(xfjit_engine_destroy(engine) == XFJIT_OK);
    newer.more[1] = 1;
    CHECK(xfjit_engine_create(&newer.options, &engine) == XFJIT_E_VERSION);
    newer.options.size = 0;
    CHECK(xfjit_engine_create(&newer.options, &engine) == XFJIT_E_SIZE);
    newer.options.size = (uint32_t)sizeof newer.options - 4;
    CHECK(xfjit_engine_create(&newer.options, &engine) == XFJIT_E_SIZE);
    newer.options.size = 0xffffffff;
    CHECK(xfjit_engine_create(&newer.options, &engine) == XFJIT_E_SIZE);
    newer.options.size = (uint32_t)sizeof newer.options;
    newer.options.backend = 2;
    CHECK(xfjit_engine_create(&newer.options, &engine) == XFJIT_E_ARGUMENT);
    config.size = 4;
    CHECK(xfjit_config_init(&config, XFJIT_KELVIN) == XFJIT_E_SIZE);
    config.size = (uint32_t)sizeof config;
    CHECK(xfjit_config_init(&config, 3) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_config_like(&config, 99, XFJIT_KELVIN) == XFJIT_E_ARGUMENT);
}

static void test_handles(xfjit_engine *engine, xfjit_worker *worker) {
    xfjit_config config = configuration(1);
    const xfjit_program *program = program_of(engine, TRANSFORM, 5, &config);
    xfjit_worker *dead;
    xfjit_info info;
    info.size = (uint32_t)sizeof info;
    CHECK(xfjit_engine_create(NULL, NULL) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_engine_destroy(NULL) == XFJIT_OK);
    CHECK(xfjit_worker_destroy(NULL) == XFJIT_OK);
    CHECK(xfjit_program_unref(NULL) == XFJIT_OK);
    CHECK(xfjit_program_ref(NULL) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_program_info(NULL, &info) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_program_info(program, NULL) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_worker_create(NULL, &dead) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_worker_create(engine, NULL) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_run(program, worker, NULL, NULL) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_run_rows(NULL, worker, constants, 192, NULL, in, out, 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_run_rows(program, NULL, constants, 192, NULL, in, out, 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_run_rows(program, worker, NULL, 192, NULL, in, out, 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, NULL, out, 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_run_rows(program, worker, constants, 191, NULL, in, out, 1) == XFJIT_E_CONSTANTS);
    CHECK(xfjit_run_rows(program, worker, (char *)constants + 1, 192, NULL, in, out, 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, in, in[0][1], 1) == XFJIT_E_OUTPUT);
    CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, in, out, (size_t)-1 / 2) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_program_get(engine, TRANSFORM, 16, 5, 0, NULL, &program) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_program_get(engine, TRANSFORM, 16, 5, 0, &config, NULL) == XFJIT_E_ARGUMENT);
    /* Handles of another kind. */
    CHECK(xfjit_worker_destroy((xfjit_worker *)(void *)engine) == XFJIT_E_HANDLE);
    CHECK(xfjit_engine_destroy((xfjit_engine *)(void *)worker) == XFJIT_E_HANDLE);
    CHECK(xfjit_program_unref((const xfjit_program *)(void *)worker) == XFJIT_E_HANDLE);
    CHECK(strstr(last_error(), "not a valid program") != NULL);
    CHECK(xfjit_worker_create(engine, &dead) == XFJIT_OK);
    CHECK(xfjit_worker_destroy(dead) == XFJIT_OK);
    if (after_free)
        CHECK(xfjit_worker_set_slot_budget(dead, 1) == XFJIT_E_HANDLE);
    xfjit_program_unref(program);
}

static void test_text(void) {
    char text[400];
    size_t length = xfjit_disassemble(XFJIT_KELVIN, TRANSFORM[4], XFJIT_STYLE_TEXT, text, sizeof text);
    CHECK(length == strlen(text) && strcmp(text, "MUL oD0, v3, c[4] + END") == 0);
    CHECK(xfjit_disassemble(XFJIT_KELVIN, TRANSFORM[4], XFJIT_STYLE_TEXT, text, 4) == length);
    CHECK(strcmp(text, "MUL") == 0);
    CHECK(xfjit_disassemble(XFJIT_KELVIN, TRANSFORM[4], XFJIT_STYLE_TEXT, NULL, 0) == length);
    CHECK(xfjit_disassemble(XFJIT_KELVIN, TRANSFORM[4], XFJIT_STYLE_FIELDS, text, sizeof text) > length);
    CHECK(strstr(text, "end=1 ") != NULL && strstr(text, "constant=4") != NULL);
    CHECK(xfjit_disassemble(XFJIT_CURIE, TRANSFORM[4], XFJIT_STYLE_FIELDS, text, sizeof text) > length);
    CHECK(xfjit_disassemble(7, TRANSFORM[4], XFJIT_STYLE_TEXT, text, sizeof text) == 0);
    CHECK(xfjit_disassemble(XFJIT_KELVIN, TRANSFORM[4], 7, text, sizeof text) == 0);
    CHECK(xfjit_disassemble(XFJIT_KELVIN, NULL, XFJIT_STYLE_TEXT, text, sizeof text) == 0);
}

/* Slot by slot, as a debugger does, with a register changed on the way; and one operation. */
static void test_steps(xfjit_engine *engine) {
    xfjit_config config = configuration(9);
    const xfjit_program *program = program_of(engine, TRANSFORM, 5, &config);
    static xfjit_vertex vertex, other;
    float position[4], colour[4], operands[3][4], result[4];
    int steps = 0;
    prepare();
    vertex.size = (uint32_t)sizeof vertex;
    memcpy(vertex.input, in[3], sizeof vertex.input);
    CHECK(xfjit_vertex_reset(program, &vertex) == XFJIT_OK);
    CHECK(vertex.slot == 0 && vertex.ended == XFJIT_RUNS && vertex.depth == 0);
    other = vertex;
    while (vertex.ended == XFJIT_RUNS) {
        CHECK(vertex.slot == (uint32_t)steps);
        CHECK(xfjit_step(program, &vertex, constants, 192, NULL, 1) == XFJIT_OK);
        steps++;
    }
    CHECK(steps == 5 && vertex.ended == XFJIT_ENDED);
    expected(in[3], constants, position, colour);
    CHECK(memcmp(vertex.output[0], position, 16) == 0 && memcmp(vertex.output[3], colour, 16) == 0);
    CHECK(xfjit_step(program, &other, constants, 192, NULL, 2) == XFJIT_OK);
    CHECK(other.slot == 2 && memcmp(other.output[0], position, 8) == 0);
    memset(other.input, 0, sizeof other.input);
    CHECK(xfjit_step(program, &other, constants, 192, NULL, 0xffffffff) == XFJIT_OK);
    CHECK(other.ended == XFJIT_ENDED && other.output[0][1] == vertex.output[0][1] && other.output[0][2] == 0);
    other.depth = 9;
    CHECK(xfjit_step(program, &other, constants, 192, NULL, 1) == XFJIT_E_ARGUMENT);
    other.depth = 1;
    other.stack_kind[0] = 2;
    CHECK(xfjit_step(program, &other, constants, 192, NULL, 1) == XFJIT_E_ARGUMENT);
    other.depth = 0;
    other.ended = 4;
    CHECK(xfjit_step(program, &other, constants, 192, NULL, 1) == XFJIT_E_ARGUMENT);
    other.ended = 0;
    other.reserved = 1;
    CHECK(xfjit_step(program, &other, constants, 192, NULL, 1) == XFJIT_E_ARGUMENT);
    other.reserved = 0;
    CHECK(xfjit_step(program, &other, other.temp, 192, NULL, 1) == XFJIT_E_OUTPUT);
    CHECK(xfjit_step(program, &other, constants, 191, NULL, 1) == XFJIT_E_CONSTANTS);
    CHECK(xfjit_step(program, &other, NULL, 192, NULL, 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_step(NULL, &other, constants, 192, NULL, 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_step(program, NULL, constants, 192, NULL, 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_vertex_reset(NULL, &other) == XFJIT_E_ARGUMENT);
    other.size = 100;
    CHECK(xfjit_vertex_reset(program, &other) == XFJIT_E_SIZE);

    fill_vertex(in[0], 2);
    memcpy(operands, in[0], sizeof operands);
    CHECK(xfjit_op(&config, XFJIT_UNIT_VECTOR, 2, operands, result) == XFJIT_OK); /* MUL */
    CHECK(result[0] == operands[0][0] * operands[1][0] && result[3] == operands[0][3] * operands[1][3]);
    CHECK(xfjit_op(&config, XFJIT_UNIT_VECTOR, 13, operands, result) == XFJIT_E_ARGUMENT); /* ARL */
    CHECK(xfjit_op(&config, XFJIT_UNIT_VECTOR, 1000, operands, result) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_op(&config, 2, 1, operands, result) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_op(&config, 0, 1, NULL, result) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_op(&config, 0, 1, operands, NULL) == XFJIT_E_ARGUMENT);
    operands[2][0] = 4;
    CHECK(xfjit_op(&config, XFJIT_UNIT_SCALAR, 2, operands, result) == XFJIT_OK); /* RCP */
    CHECK(result[0] == 0.25f && result[3] == 0.25f);
    CHECK(xfjit_program_unref(program) == XFJIT_OK);
}

static xfjit_unit *drained;

/* Takes the last vertex and their number; it may not use the unit meanwhile. */
static void take(void *user, const xfjit_piece *piece) {
    uint32_t *words = (uint32_t *)user;
    CHECK(piece->kind == XFJIT_PIECE_REGISTERS && piece->mask == 1 && piece->words_each == 4);
    CHECK(xfjit_unit_set(drained, XFJIT_REGISTER_OUTPUTS, 1) == XFJIT_E_BUSY);
    CHECK(xfjit_unit_destroy(drained) == XFJIT_E_BUSY);
    memcpy(words, piece->words, 16);
    words[4] += piece->count;
}

/* Addresses of Kelvin's XF, as docs/XF.md has them. */
enum { UNIT_VAB = 0x11000, UNIT_XFPR = 0x12000, UNIT_MODE = 0x17000, UNIT_XFCTX = 0x19000 };

static size_t put(uint32_t *commands, size_t at, uint32_t address, const void *row) {
    memcpy(commands + at + 1, row, 8);
    memcpy(commands + at + 4, (const char *)row + 8, 8);
    commands[at] = address | XFJIT_COMMAND_PAIR;
    commands[at + 3] = address | 8 | XFJIT_COMMAND_PAIR;
    return at + 6;
}

/* All vertices, one after the other. */
static struct { uint32_t count, words[16][4]; } all;

static void take_all(void *user, const xfjit_piece *piece) {
    CHECK(user == &all && piece->words_each == 4 && all.count + piece->count <= 16);
    memcpy(all.words[all.count], piece->words, 16 * piece->count);
    all.count += piece->count;
}

/* A draw sends what commands do. */
static void unit_draws(xfjit_unit *unit) {
    static const int order[5] = {3, 1, 2, 3, 1}; /* twice: what the list names, from vertex 1 on */
    static const unsigned char list[] = {0, 9, 0, 2, 0, 0, 255, 255, 0, 1, 0, 2, 0, 0};
    float rows[4][4];
    uint32_t commands[60], words[10][4];
    xfjit_attribute attribute;
    xfjit_batch batch;
    size_t length = 0;
    int vertex;
    for (vertex = 0; vertex < 16; vertex++) rows[vertex / 4][vertex % 4] = 1.5f * (float)vertex - 7;
    for (vertex = 0; vertex < 5; vertex++) {
        length = put(commands, length, UNIT_VAB, rows[order[vertex]]);
        commands[length++] = XFJIT_COMMAND_VERTEX;
    }
    memset(&all, 0, sizeof all);
    CHECK(xfjit_unit_write(unit, commands, length) == XFJIT_OK && xfjit_unit_write(unit, commands, length) == XFJIT_OK);
    CHECK(xfjit_unit_drain(unit, take_all, &all) == XFJIT_OK && all.count == 10);
    memcpy(words, all.words, sizeof words);

    memset(&attribute, 0, sizeof attribute);
    attribute.data = rows;
    attribute.size_bytes = sizeof rows;
    attribute.stride = 16;
    attribute.format = XFJIT_FORMAT_F32;
    attribute.components = 4;
    memset(&batch, 0, sizeof batch);
    batch.size = (uint32_t)sizeof batch;
    batch.attributes = &attribute;
    batch.attribute_size = (uint32_t)sizeof attribute;
    batch.attribute_count = 1;
    batch.indices = list;
    batch.index_bytes = sizeof list;
    batch.index_size = 2;
    batch.first = 1;
    batch.count = 6;
    batch.base_index = 1;
    batch.flags = XFJIT_BATCH_BIG_ENDIAN | XFJIT_BATCH_RESTART;
    batch.restart_index = 65535;
    batch.instance_count = 2;
    memset(&all, 0, sizeof all);
    CHECK(xfjit_unit_draw(unit, &batch) == XFJIT_OK);
    CHECK(xfjit_unit_drain(unit, take_all, &all) == XFJIT_OK && all.count == 10);
    CHECK(memcmp(words, all.words, sizeof words) == 0);
    /* Without memory an attribute is what was sent last: here by the draw. */
    attribute.format = XFJIT_FORMAT_NONE;
    batch.indices = NULL;
    batch.first = 0;
    batch.count = 2;
    batch.instance_count = 0;
    all.count = 0;
    CHECK(xfjit_unit_draw(unit, &batch) == XFJIT_OK && xfjit_unit_drain(unit, take_all, &all) == XFJIT_OK);
    CHECK(all.count == 2 && memcmp(all.words[0], words[9], 16) == 0 && memcmp(all.words[1], words[9], 16) == 0);
    /* What is wrong sends nothing. */
    attribute.format = XFJIT_FORMAT_F32;
    batch.count = 5;
    CHECK(xfjit_unit_draw(unit, &batch) == XFJIT_E_INPUT);
    batch.count = 4;
    batch.instance_count = 1u << 31;
    CHECK(xfjit_unit_draw(unit, &batch) == XFJIT_E_INPUT);
    batch.flags = 64;
    CHECK(xfjit_unit_draw(unit, &batch) == XFJIT_E_ARGUMENT && xfjit_unit_draw(unit, NULL) == XFJIT_E_ARGUMENT);
    all.count = 0;
    CHECK(xfjit_unit_drain(unit, take_all, &all) == XFJIT_OK && all.count == 0);
}

/* The unit as a device, saved and loaded. */
static void test_unit(xfjit_engine *engine) {
    static const uint32_t mode[4] = {0x80040000, 0, 0, 0};
    static unsigned char saved[20000];
    uint32_t commands[200], came[5];
    size_t words = 0, size, slot;
    float rows[2][4];
    xfjit_unit *unit, *other;
    xfjit_view view;
    xfjit_config config = configuration(1);
    prepare();
    memset(came, 0, sizeof came);
    CHECK(xfjit_unit_create(engine, XFJIT_NV2A, NULL, &unit) == XFJIT_OK);
    for (slot = 0; slot < 5; slot++) {
        words = put(commands, words, (uint32_t)(UNIT_XFPR | slot << 4), TRANSFORM[slot]);
        words = put(commands, words, (uint32_t)(UNIT_XFCTX | slot << 4), constants[slot]);
    }
    words = put(commands, words, UNIT_MODE, mode);
    CHECK(xfjit_unit_set(unit, XFJIT_REGISTER_OUTPUTS, 1) == XFJIT_OK);
    CHECK(xfjit_unit_set(unit, 99, 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_unit_write(unit, commands, words - 1) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_unit_constants(unit, 1, 1, rows) == XFJIT_OK && rows[0][1] == 0);
    CHECK(xfjit_unit_write(unit, commands, words) == XFJIT_OK);
    CHECK(xfjit_unit_constants(unit, 1, 2, rows) == XFJIT_OK);
    CHECK(memcmp(rows, constants[1], 32) == 0);
    view.size = (uint32_t)sizeof view;
    CHECK(xfjit_unit_view(unit, &view) == XFJIT_OK && view.row_count == 192);
    CHECK(memcmp(view.rows, constants, 5 * 16) == 0);
    for (slot = 0; slot < 192; slot++) /* row 0 too: its third and fourth word are not 0 */
        CHECK(view.dirty[slot] == (slot < 5));
    memset(view.dirty, 0, 192);
    CHECK(xfjit_unit_write(unit, commands, words) == XFJIT_OK);
    put(commands, 150, UNIT_XFCTX | 7 << 4, constants[3]);
    CHECK(xfjit_unit_write(unit, commands + 150, 6) == XFJIT_OK);
    CHECK(xfjit_unit_view(unit, &view) == XFJIT_OK);
    for (slot = 0; slot < 192; slot++) /* what was there already is not a change */
        CHECK(view.dirty[slot] == (slot == 7));
    CHECK(memcmp((const char *)view.rows + 7 * 16, constants[3], 16) == 0);
    CHECK(xfjit_unit_view(unit, NULL) == XFJIT_E_ARGUMENT && xfjit_unit_view(NULL, &view) == XFJIT_E_ARGUMENT);
    view.size = 4;
    CHECK(xfjit_unit_view(unit, &view) == XFJIT_E_SIZE);

    size = xfjit_unit_save(unit, NULL, 0);
    CHECK(size > 1000 && size < sizeof saved);
    CHECK(xfjit_unit_save(unit, saved, size) == size);
    CHECK(xfjit_unit_create(engine, XFJIT_NV2A, &config, &other) == XFJIT_OK);
    CHECK(xfjit_unit_load(other, saved, size - 1) == XFJIT_E_STATE);
    CHECK(xfjit_unit_load(other, saved, size) == XFJIT_OK);
    CHECK(xfjit_unit_destroy(unit) == XFJIT_OK);
    drained = other;
    commands[0] = UNIT_VAB;
    memcpy(&commands[1], &constants[2][0], 4); /* v0.x = 2 */
    commands[2] = commands[3] = XFJIT_COMMAND_VERTEX;
    CHECK(xfjit_unit_write(other, commands, 4) == XFJIT_OK);
    CHECK(xfjit_unit_drain(other, take, came) == XFJIT_OK);
    CHECK(came[4] == 2);
    memcpy(rows, came, 16);
    /* Components of v0 that are not written are 0, 0, 1. */
    CHECK(rows[0][0] == 2 * 0.0f + 3.0f && rows[0][1] == 2 * 1.0f + 4.0f);
    CHECK(xfjit_unit_drain(other, NULL, NULL) == XFJIT_E_ARGUMENT);
    unit_draws(other);
    CHECK(xfjit_unit_create(engine, 0x11, NULL, &unit) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_unit_create(engine, XFJIT_NV43, &config, &unit) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_unit_save(NULL, saved, size) == 0);
    CHECK(xfjit_unit_write(other, NULL, 1) == XFJIT_E_ARGUMENT);
    commands[0] = 0x1fffffff;
    CHECK(xfjit_unit_write(other, commands, 2) == XFJIT_E_ARGUMENT);
    CHECK(xfjit_unit_destroy(other) == XFJIT_OK);
    CHECK(xfjit_unit_destroy(NULL) == XFJIT_OK);
}

/* A program that is prepared later, and one that runs without its engine. */
static void test_tiers(uint32_t backend) {
    xfjit_options options;
    xfjit_engine *engine;
    xfjit_worker *worker;
    xfjit_config config = configuration(9);
    const xfjit_program *program;
    xfjit_info info;
    /* The interpreter is prepared, too, but it is no native code. */
    int has_native = backend == XFJIT_BACKEND_BEST && (xfjit_host_features() & XFJIT_FEATURE_NATIVE) != 0;
    memset(&options, 0, sizeof options);
    options.size = (uint32_t)sizeof options;
    options.compile_after = 1000000;
    options.backend = backend;
    info.size = (uint32_t)sizeof info;
    CHECK(xfjit_engine_create(&options, &engine) == XFJIT_OK);
    CHECK(xfjit_worker_create(engine, &worker) == XFJIT_OK);
    program = program_of(engine, TRANSFORM, 5, &config);
    prepare();
    CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, in, out, VERTICES) == XFJIT_OK);
    CHECK(xfjit_program_info(program, &info) == XFJIT_OK && info.native == 0);
    check_vertex(VERTICES - 1);
    CHECK(xfjit_engine_warm(engine, &program, 1, 1) == XFJIT_OK);
    CHECK(xfjit_program_info(program, &info) == XFJIT_OK);
    CHECK((info.native != 0) == has_native && (info.code_bytes != 0) == has_native);
    CHECK(xfjit_engine_destroy(engine) == XFJIT_OK);
    memset(out, 0, sizeof out);
    CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, in, out, VERTICES) == XFJIT_OK);
    check_vertex(VERTICES - 1);
    CHECK(xfjit_worker_destroy(worker) == XFJIT_OK);
    CHECK(xfjit_program_unref(program) == XFJIT_OK);
}

int main(int count, char **arguments) {
    xfjit_engine *engine;
    xfjit_worker *worker;
    after_free = !(count > 1 && strcmp(arguments[1], "checked-memory") == 0);
    CHECK(xfjit_engine_create(NULL, &engine) == XFJIT_OK);
    CHECK(xfjit_worker_create(engine, &worker) == XFJIT_OK);
    test_library();
    test_rows(engine, worker);
    test_find(engine, worker);
    test_state(engine, worker);
    test_streams(engine, worker);
    test_sizes();
    test_handles(engine, worker);
    test_text();
    test_steps(engine);
    test_unit(engine);
    test_tiers(XFJIT_BACKEND_BEST);
    test_tiers(XFJIT_BACKEND_INTERPRETER);
    CHECK(xfjit_worker_destroy(worker) == XFJIT_OK);
    CHECK(xfjit_engine_destroy(engine) == XFJIT_OK);
    puts("fine");
    return 0;
}
