/* Draws: index lists of any kind, restart, instances, each vertex once, last inputs; and what is wrong with them. C99 and C++98. */
#include "xfjit.h"

#include "check.h"

enum { VERTICES = 40, MOST = 64, INSTANCES = 3 };

typedef struct { float v0[4], v3[4]; } vertex_type;

static float constants[192][4];
static float in[VERTICES][16][4];
static vertex_type vertices[VERTICES];
static float colours[INSTANCES][4];
static float target[INSTANCES * MOST][8];
/* Lists begin at any byte. */
static unsigned char list_memory[4 * MOST + 8];
static xfjit_attribute attributes[4];
static xfjit_output outputs[4];
static xfjit_batch batch;
static xfjit_outcome outcome;

static const char *last_error(void) {
    static char text[300];
    xfjit_last_error(text, sizeof text);
    return text;
}

static void prepare(void) {
    int vertex, register_;
    fill_constants(constants);
    for (vertex = 0; vertex < VERTICES; vertex++) {
        fill_vertex(in[vertex], vertex * 3);
        in[vertex][0][1] = (float)vertex;
        in[vertex][3][2] = (float)(100 - vertex);
        memcpy(vertices[vertex].v0, in[vertex][0], 16);
        memcpy(vertices[vertex].v3, in[vertex][3], 16);
    }
    for (vertex = 0; vertex < INSTANCES; vertex++)
        for (register_ = 0; register_ < 4; register_++)
            colours[vertex][register_] = (float)(vertex * 10 + register_);
    memset(attributes, 0, sizeof attributes);
    memset(outputs, 0, sizeof outputs);
    memset(&batch, 0, sizeof batch);
    for (register_ = 0; register_ < 4; register_ += 3) {
        attributes[register_].data = register_ ? vertices[0].v3 : vertices[0].v0;
        attributes[register_].size_bytes = sizeof vertices - (register_ ? 16 : 0);
        attributes[register_].stride = sizeof vertices[0];
        attributes[register_].format = XFJIT_FORMAT_F32;
        attributes[register_].components = 4;
        outputs[register_].data = target[0] + (register_ ? 4 : 0);
        outputs[register_].size_bytes = sizeof target - (register_ ? 16 : 0);
        outputs[register_].stride = sizeof target[0];
    }
    batch.size = (uint32_t)sizeof batch;
    batch.attribute_size = (uint32_t)sizeof attributes[0];
    batch.attributes = attributes;
    batch.attribute_count = 4;
    batch.output_size = (uint32_t)sizeof outputs[0];
    batch.outputs = outputs;
    batch.output_count = 4;
    batch.constants = constants;
    batch.constant_rows = 192;
    outcome.size = (uint32_t)sizeof outcome;
    memset(target, 0x55, sizeof target);
}

/* Writes a list of some width and byte order `shift` bytes into its memory. */
static void set_list(const uint32_t *numbers, uint32_t count, uint32_t size, int is_big, int shift) {
    uint32_t at, byte;
    for (at = 0; at < count; at++)
        for (byte = 0; byte < size; byte++) {
            uint32_t place = is_big ? size - 1 - byte : byte;
            list_memory[(uint32_t)shift + at * size + place] = (unsigned char)(numbers[at] >> (8 * byte));
        }
    batch.indices = list_memory + shift;
    batch.index_bytes = count * size;
    batch.index_size = size;
    batch.count = count;
    batch.first = 0;
    batch.flags = is_big ? XFJIT_BATCH_BIG_ENDIAN : 0;
}

static const xfjit_program *program_of(xfjit_engine *engine, const uint32_t (*slots)[4], size_t count, uint32_t index_size, uint32_t writes) {
    xfjit_config config;
    const xfjit_program *program = NULL;
    config.size = (uint32_t)sizeof config;
    CHECK(xfjit_config_init(&config, XFJIT_KELVIN) == XFJIT_OK);
    config.live_outputs = writes ? 0 : 9;
    config.constant_writes = writes;
    config.index_size = index_size;
    CHECK(xfjit_program_get(engine, slots, 16, count, 0, &config, &program) == XFJIT_OK);
    return program;
}

/* That outputs at a place are those of a vertex and a colour. */
static void check_at(uint32_t place, uint32_t vertex, const float *colour) {
    float input[16][4], position[4], product[4];
    memcpy(input, in[vertex], sizeof input);
    memcpy(input[3], colour, 16);
    expected(input, constants, position, product);
    CHECK(memcmp(target[place], position, 16) == 0 && memcmp(target[place] + 4, product, 16) == 0);
}

static const uint32_t LIST[] = {7, 3, 9, 0xffff, 9, 3, 11, 0, 0xffff, 0xffff, 7, 39, 7, 7, 3, 2, 0xffff};
enum { LISTED = sizeof LIST / sizeof LIST[0], DISTINCT = 7 };

/* Every width, byte order and alignment, programs made for either width or for none, with and without distinct vertices. */
static void test_lists(const xfjit_program *const *programs, xfjit_worker *worker) {
    int way;
    for (way = 0; way < 2 * 2 * 4 * 3 * 3; way++) {
        uint32_t size = way % 2 ? 4 : 2, place[LISTED], at, seen = 0;
        int mode = way / 48;
        const xfjit_program *program = programs[way / 16 % 3];
        prepare();
        set_list(LIST, LISTED, size, way / 2 % 2, way / 4 % 4);
        batch.flags |= XFJIT_BATCH_RESTART | (mode ? XFJIT_BATCH_DISTINCT : 0);
        batch.restart_index = 0xffff;
        batch.places = mode == 2 ? place : NULL;
        CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
        CHECK(outcome.done == LISTED && outcome.vertices == (mode ? (uint64_t)DISTINCT : (uint64_t)LISTED));
        for (at = 0; at < LISTED; at++) {
            uint32_t where = mode == 2 ? place[at] : at;
            if (LIST[at] == 0xffff) {
                CHECK(mode != 2 || where == 0xffffffffu);
                continue;
            }
            CHECK(where <= at);
            seen = where >= seen ? where + 1 : seen;
            check_at(where, LIST[at], in[LIST[at]][3]);
        }
        CHECK(mode != 2 || seen == DISTINCT);
        /* The list is the caller's, and nothing behind the outputs is touched. */
        CHECK(*(unsigned char *)target[LISTED] == 0x55);
    }
}

/* Bases, windows, and limits. */
static void test_limits(const xfjit_program *program, xfjit_worker *worker) {
    static const uint32_t list[] = {20, 21, 39, 20};
    float fetched[16][4];
    prepare();
    set_list(list, 4, 2, 0, 0);
    batch.base_index = -20;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
    check_at(2, 19, in[19][3]);
    batch.base_index = -21;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_INPUT);
    CHECK(strstr(last_error(), "least index is 20") != NULL && strstr(last_error(), "vertex -1") != NULL);
    batch.base_index = 1;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_INPUT);
    CHECK(strstr(last_error(), "v0") != NULL && strstr(last_error(), "vertex 40, the greatest") != NULL);
    batch.base_index = 0x7fffffff;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_INPUT);
    batch.base_index = 0;
    batch.index_limit = 40;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
    batch.index_limit = 39;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_INPUT);
    CHECK(strstr(last_error(), "greatest index is 39") != NULL && strstr(last_error(), "index_limit 39") != NULL);
    batch.flags = XFJIT_BATCH_CLAMP;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
    check_at(1, 21, in[21][3]);
    check_at(2, 38, in[38][3]);
    CHECK(xfjit_fetch(&batch, 2, 1, fetched) == XFJIT_OK && fetched[0][1] == 38);
    batch.base_index = 38;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
    check_at(0, 38, in[38][3]);
    batch.base_index = 39;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_INPUT);
    batch.base_index = 0;
    batch.flags = 16;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_ARGUMENT);
    batch.flags = 0;
    batch.index_limit = 0;
    /* Numbers and sizes that are none. */
    batch.index_bytes = 7;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_INPUT);
    batch.index_bytes = 8;
    batch.first = 0xffffffffu;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_INPUT);
    batch.first = 3;
    batch.count = 1;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
    check_at(0, 20, in[20][3]);
    batch.index_size = 1;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_ARGUMENT);
    batch.index_size = 2;
    batch.count = 0xffffffffu;
    batch.first = 0;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_INPUT);
    batch.count = 0;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK && outcome.done == 0);
    batch.indices = NULL;
    batch.count = 0xffffffffu;
    batch.instance_count = 0xffffffffu;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_OUTPUT || sizeof(size_t) < 8);
    batch.first_instance = 2;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_ARGUMENT);
    /* Strides beyond all memory. */
    prepare();
    batch.count = 3;
    batch.first = 0xfffffffdu;
    attributes[0].stride = 0xffffffffu;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_INPUT);
    /* What is written is not what is read. */
    prepare();
    set_list(list, 4, 4, 0, 0);
    outputs[3].data = list_memory;
    outputs[3].size_bytes = sizeof list_memory;
    outputs[3].stride = 16;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_OUTPUT && strstr(last_error(), "indices") != NULL);
    prepare();
    set_list(list, 4, 4, 0, 0);
    batch.places = (uint32_t *)(void *)target[2];
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_OUTPUT && strstr(last_error(), "places") != NULL);
    batch.places = (uint32_t *)(void *)vertices;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_E_OUTPUT);
    batch.places = (uint32_t *)(void *)(list_memory + 1);
    CHECK(xfjit_run(program, worker, &batch, &outcome) != XFJIT_OK);
}

/* Several instances, an attribute of which belongs to them. */
static void test_instances(const xfjit_program *const *programs, xfjit_worker *worker) {
    int way;
    for (way = 0; way < 3 * 2 * 2; way++) {
        static const uint32_t list[] = {5, 4, 4, 5, 1};
        uint32_t instance, at, divisor = way / 3 % 2 ? 2 : 1;
        prepare();
        if (way / 6)
            set_list(list, 5, 2, 0, 1);
        else
            batch.count = 5;
        batch.flags = XFJIT_BATCH_DISTINCT;
        batch.instance_count = INSTANCES;
        batch.first_instance = divisor - 1;
        attributes[3].data = colours;
        attributes[3].size_bytes = divisor == 1 ? sizeof colours : 32;
        attributes[3].stride = 16;
        attributes[3].divisor = divisor;
        CHECK(xfjit_run(programs[way % 3], worker, &batch, &outcome) == XFJIT_OK);
        CHECK(outcome.done == 5 * INSTANCES && outcome.vertices == (way / 6 ? 9u : 15u));
        for (instance = 0; instance < INSTANCES; instance++)
            for (at = 0; at < 5; at++)
                check_at(instance * 5 + at, way / 6 ? list[at] : at, colours[(instance + divisor - 1) / divisor]);
        attributes[3].size_bytes -= 1;
        CHECK(xfjit_run(programs[way % 3], worker, &batch, &outcome) == XFJIT_E_INPUT);
        CHECK(strstr(last_error(), "last instance") != NULL);
    }
    /* The outputs hold one instance. */
    prepare();
    batch.count = MOST;
    attributes[0].stride = attributes[3].stride = 0;
    batch.instance_count = INSTANCES + 1;
    CHECK(xfjit_run(programs[0], worker, &batch, &outcome) == XFJIT_E_OUTPUT);
    batch.instance_count = INSTANCES;
    CHECK(xfjit_run(programs[0], worker, &batch, &outcome) == XFJIT_OK);
    check_at(INSTANCES * MOST - 1, 0, in[0][3]);
}

/* What current attributes are afterwards. */
static void test_last(const xfjit_program *program, xfjit_worker *worker) {
    float last[16][4];
    uint32_t restarts[3] = {1, 1, 1}, round;
    prepare();
    set_list(LIST, LISTED, 2, 0, 0);
    batch.flags = XFJIT_BATCH_RESTART;
    batch.restart_index = 0xffff;
    batch.last = last;
    batch.last_mask = 1 | 1 << 3 | 1 << 5;
    batch.instance_count = 2;
    attributes[3].divisor = 1;
    memset(last, 0x55, sizeof last);
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_OK);
    CHECK(memcmp(last[0], in[2][0], 16) == 0 && memcmp(last[3], in[1][3], 16) == 0);
    CHECK(last[5][0] == 0 && last[5][3] == 1 && *(unsigned char *)last[4] == 0x55);
    /* The program does not read v1, and it is asked for. */
    attributes[1] = attributes[0];
    attributes[1].size_bytes = 16 + 32 * 2 - 1;
    batch.last_mask = 2;
    memset(target, 0x55, sizeof target);
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_INPUT && strstr(last_error(), "v1") != NULL);
    CHECK(*(unsigned char *)target[0] == 0x55);
    batch.last = (char *)last + 1;
    batch.last_mask = 1;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_ARGUMENT);
    batch.last = last;
    set_list(restarts, 3, 4, 0, 3);
    batch.flags = XFJIT_BATCH_RESTART | XFJIT_BATCH_DISTINCT;
    batch.restart_index = 1;
    memset(last, 0x55, sizeof last);
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
    CHECK(outcome.done == 6 && outcome.vertices == 0 && *(unsigned char *)last[0] == 0x55);
    CHECK(*(unsigned char *)target[0] == 0x55);
    CHECK(xfjit_fetch(&batch, 0, 1, last) == XFJIT_E_ARGUMENT && strstr(last_error(), "restart") != NULL);
    /* Without a list. */
    prepare();
    batch.first = 3;
    batch.count = 4;
    batch.last = last;
    batch.last_mask = 1;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_OK);
    CHECK(memcmp(last[0], in[6][0], 16) == 0);
    check_at(3, 6, in[6][3]);
    /* Described in the same words again and again, it has what the memory has then, and what it may not write stays. */
    for (round = 0; round < 4; round++) {
        vertices[6].v0[1] = (float)round;
        memset(last, 0x55, sizeof last);
        CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK && outcome.done == 4);
        CHECK(memcmp(last[0], vertices[6].v0, 16) == 0 && last[0][1] == (float)round && *(unsigned char *)last[1] == 0x55);
    }
    attributes[1] = attributes[0];
    attributes[1].size_bytes = 16 + 32 * 2 - 1;
    batch.last_mask = 2;
    memset(target, 0x55, sizeof target);
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_INPUT && *(unsigned char *)target[0] == 0x55);
    batch.last = (char *)last + 1;
    CHECK(xfjit_run(program, worker, &batch, NULL) == XFJIT_E_ARGUMENT);
    batch.last = last;
    batch.last_mask = 1;
    batch.count = 0;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK && outcome.done == 0 && *(unsigned char *)last[1] == 0x55);
}

/* A program that counts in a constant: each vertex runs as often as the list names it, whatever is asked for. */
static void test_order(xfjit_engine *engine, xfjit_worker *worker) {
    uint32_t sum[2][4], at, places[LISTED], way;
    const xfjit_program *program;
    float want = 0;
    memcpy(sum, STATE, sizeof sum);
    sum[1][1] = (sum[1][1] & ~(0xffu << 13)) | 96u << 13; /* c[96] = v0 + c[96] */
    for (way = 0; way < 3; way++) {
        program = program_of(engine, (const uint32_t(*)[4])sum, 2, way * 2, 1);
        prepare();
        set_list(LIST, LISTED, 2, 0, 1);
        batch.flags = XFJIT_BATCH_RESTART | XFJIT_BATCH_DISTINCT;
        batch.restart_index = 0xffff;
        batch.places = places;
        batch.instance_count = 2;
        want = constants[96][1];
        for (at = 0; at < LISTED; at++)
            want += LIST[at] == 0xffff ? 0 : 2 * in[LIST[at]][0][1];
        CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
        CHECK(constants[96][1] == want && outcome.vertices == 2 * (LISTED - 4));
        for (at = 0; at < LISTED; at++)
            CHECK(places[at] == (LIST[at] == 0xffff ? 0xffffffffu : at));
        xfjit_program_unref(program);
    }
}

/* A budget ends a draw where it is. */
static void test_budget(const xfjit_program *program, xfjit_worker *worker) {
    static const uint32_t list[] = {4, 4, 6, 6, 8, 4};
    uint32_t at;
    CHECK(xfjit_worker_set_slot_budget(worker, 10) == XFJIT_OK);
    prepare();
    set_list(list, 6, 4, 0, 0);
    batch.instance_count = 2;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
    CHECK(outcome.done == 2 && *(unsigned char *)target[2] == 0x55);
    batch.flags = XFJIT_BATCH_DISTINCT;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
    CHECK(outcome.done == 4 && outcome.vertices == 2 && *(unsigned char *)target[4] == 0x55);
    for (at = 0; at < 4; at++)
        check_at(at, list[at], in[list[at]][3]);
    /* Instances share it: six vertices of five slots, and two of the next instance. */
    CHECK(xfjit_worker_set_slot_budget(worker, 37) == XFJIT_OK);
    batch.flags = 0;
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
    CHECK(outcome.done == 8 && outcome.vertices == 8 && outcome.cancelled == 0);
    CHECK(xfjit_worker_set_slot_budget(worker, 0) == XFJIT_OK);
}

/* Without loops there is no overtime; a raised flag ends every call. */
static void test_ends(const xfjit_program *program, xfjit_worker *worker) {
    static const uint32_t list[] = {4, 4, 6, 6, 8, 4};
    xfjit_cancel *cancel;
    uint32_t instances;
    CHECK(xfjit_cancel_create(&cancel) == XFJIT_OK);
    CHECK(xfjit_worker_set_cancel(worker, cancel) == XFJIT_OK);
    CHECK(xfjit_worker_set_overtime(worker, 1) == XFJIT_OK);
    for (instances = 1; instances <= 2; instances++) {
        prepare();
        set_list(list, 6, 4, 0, 0);
        batch.instance_count = instances;
        CHECK(xfjit_cancel_set(cancel, 1) == XFJIT_OK);
        CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
        CHECK(outcome.cancelled == 1 && outcome.done == 0 && *(unsigned char *)target[0] == 0x55);
        CHECK(xfjit_cancel_set(cancel, 0) == XFJIT_OK);
        CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK);
        CHECK(outcome.cancelled == 0 && outcome.done == 6 * instances);
        check_at(0, list[0], in[list[0]][3]);
    }
    CHECK(xfjit_cancel_set(cancel, 1) == XFJIT_OK);
    CHECK(xfjit_worker_set_cancel(worker, NULL) == XFJIT_OK);
    CHECK(xfjit_cancel_destroy(cancel) == XFJIT_OK);
    CHECK(xfjit_run(program, worker, &batch, &outcome) == XFJIT_OK && outcome.done == 12);
    CHECK(xfjit_worker_set_overtime(worker, 16777216) == XFJIT_OK);
}

int main(void) {
    xfjit_engine *engine;
    xfjit_worker *worker;
    const xfjit_program *programs[3];
    uint32_t size;
    CHECK(xfjit_engine_create(NULL, &engine) == XFJIT_OK);
    CHECK(xfjit_worker_create(engine, &worker) == XFJIT_OK);
    for (size = 0; size < 3; size++)
        programs[size] = program_of(engine, TRANSFORM, 5, size * 2, 0);
    test_lists(programs, worker);
    test_instances(programs, worker);
    for (size = 0; size < 3; size++) {
        test_limits(programs[size], worker);
        test_last(programs[size], worker);
        test_budget(programs[size], worker);
        test_ends(programs[size], worker);
    }
    test_order(engine, worker);
    for (size = 0; size < 3; size++)
        CHECK(xfjit_program_unref(programs[size]) == XFJIT_OK);
    CHECK(xfjit_worker_destroy(worker) == XFJIT_OK);
    CHECK(xfjit_engine_destroy(engine) == XFJIT_OK);
    puts("fine");
    return 0;
}
