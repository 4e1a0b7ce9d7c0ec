/* One batch again and again, as callers with few vertices a call describe it: what it holds may change, and whatever is said of
 * it counts. C99 and C++98. */
#include "xfjit.h"

#include "check.h"

enum { MOST = 9, ROUNDS = 5 };

static float constants[192][4];
static uint8_t dirty[192];

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
    return program;
}

/* What a batch is described with; the arrays of descriptions are made anew for each call. */
struct memory {
    float (*in)[16][4];
    float (*out)[16][4];
    int vertices;
};

static void describe(xfjit_batch *batch, xfjit_attribute *attributes, xfjit_output *outputs, const struct memory *memory) {
    int at;
    memset(batch, 0, sizeof *batch);
    /* What is not needed may be anything. */
    memset(attributes, rand() % 256, 16 * sizeof *attributes);
    memset(outputs, rand() % 256, 16 * sizeof *outputs);
    for (at = 0; at < 4; at += 3) {
        attributes[at].data = memory->in[0][at];
        attributes[at].size_bytes = 256 * (size_t)memory->vertices - 16 * (size_t)at;
        attributes[at].stride = 256;
        attributes[at].format = XFJIT_FORMAT_F32;
        attributes[at].components = 4;
        attributes[at].divisor = 0;
        outputs[at].data = memory->out[0][at];
        outputs[at].size_bytes = 256 * (size_t)memory->vertices - 16 * (size_t)at;
        outputs[at].stride = 256;
        outputs[at].reserved = 0;
    }
    batch->size = (uint32_t)sizeof *batch;
    batch->count = (uint32_t)memory->vertices;
    batch->attribute_size = (uint32_t)sizeof *attributes;
    batch->attributes = attributes;
    batch->attribute_count = 16;
    batch->output_size = (uint32_t)sizeof *outputs;
    batch->outputs = outputs;
    batch->output_count = 16;
    batch->constants = constants;
    batch->constant_rows = 192;
}

static void fill(const struct memory *memory, int round) {
    int vertex;
    fill_constants(constants);
    constants[1][2] = (float)round;
    for (vertex = 0; vertex < memory->vertices; vertex++)
        fill_vertex(memory->in[vertex], vertex + round);
    memset(memory->out, 0x55, 256 * (size_t)memory->vertices);
}

static void check(const struct memory *memory, const float *colour_read) {
    float position[4], colour[4], in[16][4];
    int vertex;
    for (vertex = 0; vertex < memory->vertices; vertex++) {
        memcpy(in, memory->in[vertex], sizeof in);
        if (colour_read != NULL) memcpy(in[3], colour_read, 16);
        expected(in, constants, position, colour);
        CHECK(memcmp(memory->out[vertex][0], position, 16) == 0);
        CHECK(memcmp(memory->out[vertex][3], colour, 16) == 0);
        CHECK(*(unsigned char *)memory->out[vertex][1] == 0x55);
    }
}

static void same_memory(const xfjit_program *program, xfjit_worker *worker, const struct memory *memory) {
    xfjit_attribute attributes[2][16];
    xfjit_output outputs[2][16];
    xfjit_batch batch;
    xfjit_outcome outcome;
    int round;
    outcome.size = (uint32_t)sizeof outcome;
    for (round = 0; round < ROUNDS; round++) {
        fill(memory, round);
        describe(&batch, attributes[round % 2], outputs[round % 2], memory);
        CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
        CHECK(outcome.done == (uint32_t)memory->vertices);
        check(memory, NULL);
        fill(memory, round + 1);
        CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, memory->in, memory->out, (size_t)memory->vertices) == XFJIT_OK);
        check(memory, NULL);
    }
}

/* Memory comes and goes; its addresses may be those of before. */
static void other_memory(const xfjit_program *program, xfjit_worker *worker, int vertices) {
    struct memory memory;
    int round;
    for (round = 0; round < ROUNDS; round++) {
        memory.in = (float (*)[16][4])malloc(256 * (size_t)vertices);
        memory.out = (float (*)[16][4])malloc(256 * (size_t)vertices);
        memory.vertices = vertices;
        CHECK(memory.in != NULL && memory.out != NULL);
        same_memory(program, worker, &memory);
        free(memory.in);
        free(memory.out);
    }
}

/* Each member that a batch is known by, changed after it has become known. */
static void other_descriptions(const xfjit_program *program, xfjit_worker *worker, const struct memory *memory) {
    xfjit_attribute attributes[16];
    xfjit_output outputs[16];
    xfjit_batch batch;
    float value[4] = {1, 2, 3, 4};
    int change, round;
    for (change = 0; change < 17; change++) {
        xfjit_status wanted = XFJIT_OK;
        describe(&batch, attributes, outputs, memory);
        for (round = 0; round < ROUNDS; round++)
            CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_OK);
        switch (change) {
        case 0: attributes[3].size_bytes = 256 * ((size_t)memory->vertices - 1) + 15, wanted = XFJIT_E_INPUT; break;
        case 1: outputs[3].size_bytes = 256 * ((size_t)memory->vertices - 1), wanted = XFJIT_E_OUTPUT; break;
        case 2: attributes[0].data = NULL, wanted = XFJIT_E_ARGUMENT; break;
        case 3: outputs[0].data = NULL, wanted = XFJIT_E_OUTPUT; break;
        case 4: outputs[0].data = memory->in[0][0], wanted = XFJIT_E_OUTPUT; break;
        case 5: batch.constant_rows = 191, wanted = XFJIT_E_CONSTANTS; break;
        case 6: batch.constants = memory->out, wanted = XFJIT_E_OUTPUT; break;
        case 7: batch.attribute_size--, wanted = XFJIT_E_SIZE; break;
        case 8: batch.attributes = NULL, wanted = XFJIT_E_ARGUMENT; break;
        case 9: batch.output_count = 3, wanted = XFJIT_E_OUTPUT; break;
        case 10: batch.first = 1, wanted = XFJIT_E_INPUT; break;
        case 11: attributes[0].components = 5, wanted = XFJIT_E_ARGUMENT; break;
        case 12: attributes[3].format = 0xffff, wanted = XFJIT_E_ARGUMENT; break;
        case 13: batch.size++, wanted = XFJIT_E_VERSION; break;
        case 16: outputs[3].reserved = 1, wanted = XFJIT_E_ARGUMENT; break;
        case 15: attributes[0].divisor = 1, attributes[0].size_bytes = 15, wanted = XFJIT_E_INPUT; break;
        case 14: outputs[3].stride = UINT32_MAX, wanted = memory->vertices == 1 ? XFJIT_OK : XFJIT_E_OUTPUT; break;
        }
        if (change == 13) {
            /* One that is larger, and not zero where it is not known. */
            struct { xfjit_batch batch; unsigned char more[8]; } larger;
            memset(&larger, 1, sizeof larger);
            larger.batch = batch;
            larger.batch.size = (uint32_t)sizeof larger;
            CHECK(xfjit_run(program, worker, &larger.batch, NULL) == wanted);
        } else {
            CHECK(xfjit_run(program, worker, &batch, NULL) == wanted);
        }
        describe(&batch, attributes, outputs, memory);
        fill(memory, change);
        CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_OK);
        check(memory, NULL);
    }
    /* One value for all vertices, and then another. */
    for (round = 0; round < ROUNDS; round++) {
        describe(&batch, attributes, outputs, memory);
        attributes[3].format = XFJIT_FORMAT_NONE;
        attributes[3].stride = 0;
        value[1] = (float)(round / 3);
        memcpy(attributes[3].value, value, 16);
        fill(memory, round);
        CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_OK);
        check(memory, value);
    }
    CHECK(xfjit_run_rows(program, worker, constants, 192, NULL, memory->in, memory->in, (size_t)memory->vertices) == XFJIT_E_OUTPUT);
    CHECK(xfjit_run_rows(program, worker, constants, 191, NULL, memory->in, memory->out, (size_t)memory->vertices) == XFJIT_E_CONSTANTS);
}

/* An index list that says something else at the same address. */
static void other_indices(const xfjit_program *program, xfjit_worker *worker, const struct memory *memory) {
    xfjit_attribute attributes[16];
    xfjit_output outputs[16];
    xfjit_batch batch;
    uint32_t index = 0;
    float position[4], colour[4];
    int round;
    for (round = 0; round < ROUNDS; round++) {
        describe(&batch, attributes, outputs, memory);
        index = (uint32_t)(round % memory->vertices);
        batch.indices = &index;
        batch.index_bytes = sizeof index;
        batch.index_size = 4;
        batch.count = 1;
        fill(memory, round);
        CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_OK);
        expected(memory->in[index], constants, position, colour);
        CHECK(memcmp(memory->out[0][0], position, 16) == 0);
    }
    index = (uint32_t)memory->vertices;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_INPUT);
}

static void state_programs(xfjit_engine *engine, xfjit_worker *worker) {
    xfjit_config config;
    const xfjit_program *program;
    float in[16][4], out[16][4];
    int round, row;
    config.size = (uint32_t)sizeof config;
    CHECK(xfjit_config_like(&config, XFJIT_LIKE_NV2A_VSH_CPU, XFJIT_KELVIN) == XFJIT_OK);
    config.live_outputs = 0;
    program = program_of(engine, STATE, 2, &config);
    fill_constants(constants);
    fill_vertex(in, 0);
    for (round = 0; round < ROUNDS; round++) {
        memset(dirty, 0, sizeof dirty);
        constants[95][0] = (float)round;
        CHECK(xfjit_run_rows(program, worker, constants, 192, dirty, in, out, 1) == XFJIT_OK);
        CHECK(constants[96][0] == (float)round + in[0][0]);
        for (row = 0; row < 192; row++)
            CHECK(dirty[row] == (row == 96));
    }
    CHECK(xfjit_run_rows(program, worker, constants, 192, (uint8_t *)constants, in, out, 1) == XFJIT_E_OUTPUT);
    CHECK(xfjit_program_unref(program) == XFJIT_OK);
}

int main(void) {
    static const int counts[] = {0, 1, 2, 3, 4, MOST};
    static float in[MOST][16][4], out[MOST][16][4];
    xfjit_worker *worker = NULL;
    size_t at;
    int round;
    /* The worker stays, engines and programs come and go. */
    for (round = 0; round < 3; round++) {
        xfjit_engine *engine;
        xfjit_config config = configuration(9);
        const xfjit_program *program;
        struct memory memory;
        CHECK(xfjit_engine_create(NULL, &engine) == XFJIT_OK);
        if (worker == NULL) CHECK(xfjit_worker_create(engine, &worker) == XFJIT_OK);
        config.keep_outputs = (uint32_t)round % 2;
        program = program_of(engine, TRANSFORM, 5, &config);
        memory.in = in;
        memory.out = out;
        for (at = 0; at < sizeof counts / sizeof *counts; at++) {
            memory.vertices = counts[at];
            same_memory(program, worker, &memory);
            if (counts[at] == 0) continue; /* what nobody reads may be anything */
            other_memory(program, worker, counts[at]);
            other_descriptions(program, worker, &memory);
            other_indices(program, worker, &memory);
        }
        state_programs(engine, worker);
        CHECK(xfjit_program_unref(program) == XFJIT_OK);
        CHECK(xfjit_engine_destroy(engine) == XFJIT_OK);
    }
    CHECK(xfjit_worker_destroy(worker) == XFJIT_OK);
    puts("fine");
    return 0;
}
